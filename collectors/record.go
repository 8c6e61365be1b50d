package collectors

import (
	"encoding/json"
	"time"
)

// Source names where a record is from.
type Source string

// The sources of records.
const (
	// SourceAPI is a watch of the API server; its times have whole seconds.
	SourceAPI Source = "api"
	// SourceRuntime is the node's container runtime; its times have
	// nanoseconds of the node's clock.
	SourceRuntime Source = "runtime"
	// SourceKernel is the kernel's log: kills for memory of which the runtime
	// was not notified, in the second of the container's end.
	SourceKernel Source = "kernel"
	// SourceLog is a container's log; its times have nanoseconds and say when
	// the runtime read the line.
	SourceLog Source = "log"
	// SourceLab is the harness itself: steps, verdicts.
	SourceLab Source = "lab"
)

// Type says what a record tells, and so which of its fields are set.
type Type string

// The types of records.
const (
	// TypePod is a pod as the API shows it: Pod is set.
	TypePod Type = "pod"
	// TypePodGone is a pod's removal from the API: Pod is its last state.
	TypePodGone Type = "pod-gone"
	// TypeJob is a Job as the API shows it: Job is set.
	TypeJob Type = "job"
	// TypeJobGone is a Job's removal from the API.
	TypeJobGone Type = "job-gone"
	// TypeObject is an object of any other kind as the API shows it: Content is
	// set.
	TypeObject Type = "object"
	// TypeObjectGone is such an object's removal from the API: Content is its
	// last state.
	TypeObjectGone Type = "object-gone"
	// TypeEvent is a Kubernetes event about the Object: Event is set.
	TypeEvent Type = "event"
	// TypeTaskStart is a container that the runtime started: Task is set.
	TypeTaskStart Type = "task-start"
	// TypeTaskExit is a container that ended: Task is set.
	TypeTaskExit Type = "task-exit"
	// TypeTaskOOM is a container in which the kernel killed for memory.
	TypeTaskOOM Type = "task-oom"
	// TypeLog is one line that a container wrote: Log is set.
	TypeLog Type = "log"
	// TypeClock is a measurement of a clock of the cluster: Clock is set.
	TypeClock Type = "clock"
	// TypeGap is a stretch that a source did not see: Gap is set.
	TypeGap Type = "gap"
	// TypeStep is a step of the scenario that ended: Step is set.
	TypeStep Type = "step"
	// TypeAsked is a question that sources answered: Asked is set.
	TypeAsked Type = "asked"
	// TypeStepBegin is a step that begins: Step has its Name, Verb and
	// StartedAt.
	TypeStepBegin Type = "step-begin"
)

// Object names the Kubernetes object that a record is about.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// Record is one thing that happened, or that a source could not see.
type Record struct {
	// Seq counts the records of a run on a cluster from 1 in the order of
	// their arrival; the Sink sets it.
	Seq uint64 `json:"seq"`
	// Time is when it happened, by the source's own clock. For an API object
	// it is when the change was received.
	Time time.Time `json:"time"`
	// Received is when the record arrived; the Sink sets it if it is zero.
	Received time.Time `json:"received"`
	// Precision is how finely Time is known.
	Precision time.Duration `json:"precision"`
	Source    Source        `json:"source"`
	Type      Type          `json:"type"`
	// Object is what it is about; empty for gaps of a whole source.
	Object Object `json:"object"`
	// Container names the container of the pod, where it is about one.
	Container string `json:"container,omitempty"`

	Pod     *Pod     `json:"pod,omitempty"`
	Job     *Job     `json:"job,omitempty"`
	Content *Content `json:"content,omitempty"`
	Event   *Event   `json:"event,omitempty"`
	Task    *Task    `json:"task,omitempty"`
	Log     *Log     `json:"log,omitempty"`
	Clock   *Clock   `json:"clock,omitempty"`
	Gap     *Gap     `json:"gap,omitempty"`
	Step    *Step    `json:"step,omitempty"`
	Asked   *Asked   `json:"asked,omitempty"`
}

// Kind names a kind of objects, such as apps/v1 Deployment.
type Kind struct {
	APIVersion string `json:"api_version"`
	Kind       string `json:"kind"`
}

// MaxContent bounds the JSON of an object that a record holds, in bytes.
const MaxContent = 256 << 10

// Content is the state of an object of any kind at one moment.
type Content struct {
	APIVersion      string    `json:"api_version"`
	ResourceVersion string    `json:"resource_version,omitempty"`
	CreatedAt       time.Time `json:"created_at"`
	// JSON is the whole object without managedFields; empty if it is longer
	// than MaxContent, as TooLong says.
	JSON    json.RawMessage `json:"json,omitempty"`
	TooLong bool            `json:"too_long,omitempty"`
}

// Event is a Kubernetes event. Events are rate-limited and reported out of order:
// hints, never evidence.
type Event struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// EventType is "Normal" or "Warning".
	EventType string    `json:"event_type"`
	Count     int       `json:"count"`
	FirstAt   time.Time `json:"first_at,omitzero"`
	LastAt    time.Time `json:"last_at,omitzero"`
}

// Pod is a pod's state at one moment as the API shows it.
type Pod struct {
	ResourceVersion string `json:"resource_version,omitempty"`
	// Owner is the controlling object, such as the pod's Job.
	Owner *Object `json:"owner,omitempty"`
	Node  string  `json:"node,omitempty"`
	IP    string  `json:"ip,omitempty"`
	Phase string  `json:"phase"`
	// Status and Ready are the STATUS and READY columns of kubectl as the
	// API server computes them, such as "Init:0/1" and "1/2".
	Status string `json:"status"`
	Ready  string `json:"ready"`
	Reason string `json:"reason,omitempty"`
	QOS    string `json:"qos,omitempty"`
	// Conditions maps a condition's type to its status, "True", "False" or
	// "Unknown".
	Conditions map[string]string `json:"conditions,omitempty"`
	// ConditionDetails says more of conditions, by their type; nil in old
	// recordings.
	ConditionDetails map[string]Condition `json:"condition_details,omitempty"`
	CreatedAt        time.Time            `json:"created_at"`
	// DeletedAt is when the deletion was asked for; zero if it was not.
	DeletedAt time.Time `json:"deleted_at,omitzero"`
	// Containers are all containers of the spec: init containers first, in
	// the spec's order, then the others, then the ephemeral ones.
	Containers []Container `json:"containers"`
	// Manifest is the whole object as the API sent it, without managedFields.
	// It is kept beside the journal and not in it.
	Manifest json.RawMessage `json:"-"`
}

// The kinds of containers.
const (
	KindInit      = "init"
	KindSidecar   = "sidecar"
	KindMain      = "main"
	KindEphemeral = "ephemeral"
)

// Container is a container's state at one moment as the API shows it.
type Container struct {
	Name string `json:"name"`
	// Kind is KindInit, KindSidecar (an init container with restartPolicy
	// Always), KindMain or KindEphemeral.
	Kind  string `json:"kind"`
	Image string `json:"image"`
	// ID is the runtime's id of the current run, without "containerd://".
	ID string `json:"id,omitempty"`
	// State is "waiting", "running" or "terminated"; empty before the kubelet
	// reported any.
	State    string `json:"state,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Message  string `json:"message,omitempty"`
	Ready    bool   `json:"ready"`
	Started  *bool  `json:"started,omitempty"`
	Restarts int    `json:"restarts"`
	// Current is the running or terminated run; Last the one before it.
	Current *ContainerRun `json:"current,omitempty"`
	Last    *ContainerRun `json:"last,omitempty"`
}

// ContainerRun is one run of a container as the API shows it, in whole seconds.
type ContainerRun struct {
	ID        string    `json:"id,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// FinishedAt is zero while it runs.
	FinishedAt time.Time `json:"finished_at,omitzero"`
	ExitCode   int       `json:"exit_code"`
	Signal     int       `json:"signal,omitempty"`
	Reason     string    `json:"reason,omitempty"`
}

// Job is a Job's state at one moment as the API shows it.
type Job struct {
	ResourceVersion string `json:"resource_version,omitempty"`
	Active          int    `json:"active"`
	Succeeded       int    `json:"succeeded"`
	Failed          int    `json:"failed"`
	// Conditions maps a condition's type to its status.
	Conditions map[string]string `json:"conditions,omitempty"`
	// ConditionDetails says more of conditions, by their type; nil in old
	// recordings.
	ConditionDetails map[string]Condition `json:"condition_details,omitempty"`
	CreatedAt        time.Time            `json:"created_at"`
	StartedAt        time.Time            `json:"started_at,omitzero"`
	CompletedAt      time.Time            `json:"completed_at,omitzero"`
	DeletedAt        time.Time            `json:"deleted_at,omitzero"`
	Manifest         json.RawMessage      `json:"-"`
}

// The bounds of what a record holds of a pod's or Job's conditions.
const (
	// MaxConditions is how many conditions have details: the first ones.
	MaxConditions = 64
	// MaxConditionText is the length in bytes above which a reason or a message
	// is cut.
	MaxConditionText = 1024
)

// Condition says why a condition has its status, as the API shows it.
type Condition struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// ChangedAt is when its status changed last, in whole seconds.
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// Task is a start, an end or a memory kill that the container runtime reported.
type Task struct {
	// ID is the runtime's id of the container.
	ID   string `json:"id"`
	Node string `json:"node"`
	PID  int    `json:"pid,omitempty"`
	// ExitCode is set for an exit: 137 for SIGKILL, 143 for SIGTERM.
	ExitCode int `json:"exit_code"`
}

// Log is one line of a container's log.
type Log struct {
	// Run counts the container's runs from 0, if it is known.
	Run    int    `json:"run"`
	Stream string `json:"stream,omitempty"`
	Text   string `json:"text"`
	// Cut says that the line was longer than the bound.
	Cut bool `json:"cut,omitempty"`
	// Color is the ANSI SGR sequence in which stern shows the container.
	Color string `json:"-"`
}

// Gap is a stretch of time that a source did not see. The package's comment says
// what it means for each of them.
type Gap struct {
	From time.Time `json:"from"`
	// To is zero while the gap goes on.
	To     time.Time `json:"to"`
	Reason string    `json:"reason"`
	// Count is how much was lost: 0 if all came, but late; -1 if that is not
	// known.
	Count int `json:"count"`
}

// Asked says that sources were asked whether they have reported everything: what
// they could see until At was recorded before, or is in a gap that goes on.
type Asked struct {
	At      time.Time `json:"at"`
	Sources []Source  `json:"sources,omitempty"`
}

// Step is a scenario's step that was done.
type Step struct {
	Name       string    `json:"name"`
	Verb       string    `json:"verb"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	// Error is the refusal that the scenario expected; empty if there was
	// none.
	Error string `json:"error,omitempty"`
	// Warnings are those that the API server sent.
	Warnings []string `json:"warnings,omitempty"`
	// Objects are those that the step did something to.
	Objects []Object `json:"objects,omitempty"`
	// Stdout and Stderr are what a command wrote, and ExitCode is how it
	// ended; nil if the step ran none that ended.
	Stdout   string `json:"stdout,omitempty"`
	Stderr   string `json:"stderr,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	// Status, Detail and Outcome are what the report says of a step that is not
	// decided by expressions: "pass", "job/myapp created", and "refused" if it
	// was expected to fail. They are empty in older recordings.
	Status  string `json:"status,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// RanCommand says whether the step ran a command, so that it has an output.
func (s *Step) RanCommand() bool {
	return s.ExitCode != nil || s.Stdout != "" || s.Stderr != "" || s.Verb == "exec"
}

// Sink takes records. It is safe for concurrent use and returns once the
// record is kept.
type Sink interface {
	Add(Record)
}

// SinkFunc is a function as a Sink.
type SinkFunc func(Record)

// Add calls f.
func (f SinkFunc) Add(r Record) { f(r) }
