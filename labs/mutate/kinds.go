package mutate

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// Kind is a kind of change to what a run recorded.
type Kind struct {
	// Name is as it is printed; What says what the change is, in a sentence.
	Name string `json:"name"`
	What string `json:"what"`
	// candidates are the changes of the kind that a history has a place for.
	candidates func(*place) []change
}

// The names of the kinds.
const (
	KindEndsSwapped      = "ends swapped"
	KindStartsSwapped    = "starts swapped"
	KindEndMoved         = "end moved"
	KindStartMoved       = "start moved"
	KindLater            = "all later"
	KindSooner           = "all sooner"
	KindExitCode         = "exit code"
	KindSignal           = "signal"
	KindOOM              = "memory kill"
	KindRestartMore      = "restart more"
	KindRestartLess      = "restart less"
	KindAgain            = "pod started again"
	KindReplaced         = "pod replaced"
	KindNeverStarted     = "never started"
	KindNeverEnded       = "never ended"
	KindEnded            = "ended"
	KindExchanged        = "containers exchanged"
	KindReadiness        = "readiness"
	KindLineMissing      = "line missing"
	KindLineMoved        = "line moved"
	KindLineMore         = "line more"
	KindStatusMissing    = "STATUS missing"
	KindStatusMore       = "STATUS more"
	KindCondition        = "condition"
	KindPhase            = "phase"
	KindPodField         = "field of a pod"
	KindImage            = "image"
	KindContainerKind    = "kind of a container"
	KindPodMissing       = "pod missing"
	KindPodMore          = "pod more"
	KindJobOpen          = "Job does not end"
	KindJobOther         = "Job ends otherwise"
	KindRefusalMissing   = "rejection missing"
	KindRefusalOther     = "rejection other"
	KindRefusalMore      = "rejection more"
	KindWarning          = "warning"
	KindOutput           = "output of a command"
	KindObjectField      = "field of an object"
	KindObjectMissing    = "object missing"
	KindEventMissing     = "event missing"
	KindEventMore        = "event more"
	KindContainerMissing = "container missing"
)

// Kinds are all kinds of changes.
func Kinds() []Kind {
	return []Kind{
		{KindEndsSwapped, "Two containers of a pod end at each other's time.", endsSwapped},
		{KindStartsSwapped, "Two containers of a pod start at each other's time.", startsSwapped},
		{KindEndMoved, "A container ends sooner or later.", endMoved},
		{KindStartMoved, "A container starts sooner or later, and everything in it moves with its start.", startMoved},
		{KindLater, "Everything after a moment comes later.", allLater},
		{KindSooner, "Everything after a pause comes sooner.", allSooner},
		{KindExitCode, "A container ends with another exit code.", exitCode},
		{KindSignal, "A container is terminated by a signal, by another signal, or by no signal.", signal},
		{KindOOM, "The kernel kills a process in a container for lack of memory, or does not.", memoryKill},
		{KindRestartMore, "A container fails once more and is restarted.", restartMore},
		{KindRestartLess, "A container is not restarted and runs on.", restartLess},
		{KindAgain, "The sandbox of a pod is gone: all its containers are killed and start again, init containers too.", startedAgain},
		{KindReplaced, "A pod is deleted, and another one takes its place, as a controller or somebody else does it.", replaced},
		{KindNeverStarted, "A container does not start.", neverStarted},
		{KindNeverEnded, "A container does not end.", neverEnded},
		{KindEnded, "A container that kept running ends.", endedToo},
		{KindExchanged, "Two containers of a pod do what the other did.", exchanged},
		{KindReadiness, "A container is not ready when it was, or its startup probe does not succeed.", readiness},
		{KindLineMissing, "A container does not write a line.", lineMissing},
		{KindLineMoved, "A container writes a line sooner or later.", lineMoved},
		{KindLineMore, "A container writes a line again, or one that it wrote in another run of the recording.", lineMore},
		{KindStatusMissing, "A STATUS is not seen.", statusMissing},
		{KindStatusMore, "The image of a container cannot be pulled at first, which STATUS says.", statusMore},
		{KindCondition, "A condition of a pod or a Job has the opposite value, is missing or is added.", condition},
		{KindPhase, "A pod has another phase.", phase},
		{KindPodField, "A pod has another node, IP address or reason.", podField},
		{KindImage, "A container has another image, or keeps the one that it had.", image},
		{KindContainerKind, "An init container is a sidecar, or a sidecar is an init container.", containerKind},
		{KindPodMissing, "A pod is never seen.", podMissing},
		{KindPodMore, "There is one more pod of the same owner.", podMore},
		{KindContainerMissing, "A container of a pod is not in its spec.", containerMissing},
		{KindJobOpen, "A Job neither completes nor fails.", jobOpen},
		{KindJobOther, "A Job fails instead of completing, or completes instead of failing.", jobOther},
		{KindRefusalMissing, "The API server accepts what it rejected.", rejectionMissing},
		{KindRefusalOther, "The API server gives another reason for a rejection.", rejectionOther},
		{KindRefusalMore, "The API server rejects what it accepted.", rejectionMore},
		{KindWarning, "The API server warns of something else, or does not warn.", warning},
		{KindOutput, "A command writes something else or ends with another exit code.", output},
		{KindObjectField, "A field of an object has another value.", objectField},
		{KindObjectMissing, "An object is never seen.", objectMissing},
		{KindEventMissing, "A Kubernetes event is not seen.", eventMissing},
		{KindEventMore, "There is an event that only another run of the recording has.", eventMore},
	}
}

// change is one change to a history.
type change struct {
	// text says in a sentence what is changed.
	text  string
	apply func(*draft)
}

// place is where changes are looked for: a history, and what other runs of the
// recording have.
type place struct {
	*history
	others *others
	// spoken are the words of the conditions of the scenario.
	spoken map[string]bool
	// readings are what they read.
	readings map[*dsl.Step]reading
}

// others is what the runs of a recording have, by what it is about.
type others struct {
	// lines are the texts that a container of a pod wrote: POD/CONTAINER of
	// each scenario, as pods of the same container name do in other scenarios.
	lines map[string][]string
	// events are those of pods of a name.
	events map[string][]collectors.Record
	// conditions are the conditions that Jobs and pods had, by kind.
	conditions map[string][]string
}

func newOthers() *others {
	return &others{lines: map[string][]string{}, events: map[string][]collectors.Record{}, conditions: map[string][]string{}}
}

// add adds what a run of a scenario has.
func (o *others) add(h *history) {
	for i := range h.records {
		r := &h.records[i]
		switch {
		case r.Log != nil:
			o.lines[r.Container] = appendNew(o.lines[r.Container], r.Log.Text)
		case r.Event != nil && r.Object.Kind == "Pod":
			same := func(e collectors.Record) bool {
				return e.Event.Reason == r.Event.Reason && e.Event.Message == r.Event.Message
			}
			if !slices.ContainsFunc(o.events[r.Object.Name], same) {
				o.events[r.Object.Name] = append(o.events[r.Object.Name], *r)
			}
		case r.Pod != nil:
			o.addConditions("Pod", r.Pod.Conditions)
		case r.Job != nil:
			o.addConditions("Job", r.Job.Conditions)
		}
	}
}

func (o *others) addConditions(kind string, conditions map[string]string) {
	for name := range conditions {
		o.conditions[kind] = appendNew(o.conditions[kind], name)
	}
	slices.Sort(o.conditions[kind])
}

func appendNew(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

// shifts are the times by which things are moved: about what a Pod's grace
// period is in tests and by default, and what latency alone does not reach.
var shifts = []time.Duration{2 * time.Second, 6 * time.Second, 32 * time.Second}
