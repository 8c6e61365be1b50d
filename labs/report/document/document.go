// Package document folds what a run recorded into what is shown of it. The
// forms are pure functions of a Document.
package document

import (
	"time"

	"github.com/kind-lab/lab/labs/report"
)

// Version is the version of a document's JSON form, which `lab report
// --format json` prints and `lab schema --document` describes.
const Version = 1

// Document is everything that is shown of a run: its report, and what was
// recorded, laid out on an axis of seconds for each scenario on each cluster.
// The page, the Markdown summary, the bars in text and the comparison of runs
// are pure functions of it. Sensitive values are masked in it.
type Document struct {
	Version int           `json:"version"`
	Report  report.Report `json:"report"`
	// Pictures are what was recorded, one for each of the report's runs and in
	// their order.
	Pictures []Picture `json:"pictures"`
	// Sources are the scenario's files as they were when it ran; empty where
	// no copy was kept.
	Sources []SourceFile `json:"sources,omitempty"`
	// Reproduce says how to run it again.
	Reproduce Reproduce `json:"reproduce"`
}

// Picture is what was recorded of one scenario on one cluster. All its times
// are seconds since the scenario's run began (Run.StartedAt).
type Picture struct {
	Scenario string `json:"scenario"`
	Cluster  string `json:"cluster"`
	// Seconds is how long the axis is: to the last thing in the picture.
	Seconds float64      `json:"seconds"`
	Pods    []PodPicture `json:"pods,omitempty"`
	// Objects are what changed of Jobs and of other objects that are not pods.
	Objects []ObjectPicture `json:"objects,omitempty"`
	// Events are the Kubernetes events, in the order of their times: hints,
	// never evidence of order.
	Events []EventPicture `json:"events,omitempty"`
	Gaps   []GapPicture   `json:"gaps,omitempty"`
	// Lines are the log lines in the order of their times, and OmittedLines
	// counts those that were left out because there were too many.
	Lines        []LinePicture `json:"lines,omitempty"`
	OmittedLines int           `json:"omitted_lines,omitempty"`
}

// Instant is a time on a picture's axis.
type Instant struct {
	// At is seconds since the scenario's run began.
	At float64 `json:"at"`
	// Source is as collectors.Source, and Precision how finely At is known, in
	// nanoseconds: 1 for the runtime, a second for the API.
	Source    string        `json:"source"`
	Precision time.Duration `json:"precision"`
}

// PodPicture is a pod: one UID.
type PodPicture struct {
	Name string `json:"name"`
	// Title is the name without what was generated of it ("myapp-*"), the same
	// on every cluster; where there are several of a name they are numbered.
	Title string `json:"title"`
	UID   string `json:"uid,omitempty"`
	Node  string `json:"node,omitempty"`
	QOS   string `json:"qos,omitempty"`
	// CreatedAt and DeletedAt are the API's; GoneAt is when its removal was
	// received.
	CreatedAt *Instant `json:"created_at,omitempty"`
	DeletedAt *Instant `json:"deleted_at,omitempty"`
	GoneAt    *Instant `json:"gone_at,omitempty"`
	// Statuses are the changes of kubectl's STATUS and READY columns, in order.
	Statuses []StatusChange `json:"statuses,omitempty"`
	// Conditions are the changes of the pod's conditions, in order.
	Conditions []ConditionChange `json:"conditions,omitempty"`
	// Containers are in the spec's order: init containers and sidecars, then
	// the others, then the ephemeral ones.
	Containers []ContainerPicture `json:"containers,omitempty"`
	// Snapshots are the distinct states of the pod as YAML, in order.
	Snapshots []Snapshot `json:"snapshots,omitempty"`
}

// StatusChange is a change of kubectl's columns, when it was received.
type StatusChange struct {
	Instant
	Status string `json:"status"`
	Ready  string `json:"ready,omitempty"`
	Phase  string `json:"phase,omitempty"`
}

// ConditionChange is a condition that changed, when that was received.
type ConditionChange struct {
	Instant
	Type string `json:"type"`
	// Status is "True", "False" or "Unknown"; empty if the condition went.
	Status string `json:"status"`
}

// Snapshot is a pod's state at one moment.
type Snapshot struct {
	Instant
	// Title is its STATUS.
	Title string `json:"title"`
	YAML  string `json:"yaml"`
}

// ContainerPicture is a container with all of its runs, oldest first.
type ContainerPicture struct {
	Name string `json:"name"`
	// Kind is "init", "sidecar", "main" or "ephemeral".
	Kind  string       `json:"kind"`
	Image string       `json:"image,omitempty"`
	Runs  []RunPicture `json:"runs,omitempty"`
}

// RunPicture is one run of a container: a bar.
type RunPicture struct {
	// StartedAt is nil where nobody saw the start, FinishedAt while it runs or
	// where the end's time is not known.
	StartedAt  *Instant `json:"started_at,omitempty"`
	FinishedAt *Instant `json:"finished_at,omitempty"`
	// ReadyAt is when the API was seen to call it ready.
	ReadyAt *Instant `json:"ready_at,omitempty"`
	// KillingAt is when the kubelet's event said that it would be ended: a
	// hint, to the second, sent before preStop and before the container's turn.
	KillingAt *Instant `json:"killing_at,omitempty"`
	// Exited says that it ended; only then ExitCode, Signal and Reason mean
	// anything.
	Exited   bool   `json:"exited"`
	ExitCode int    `json:"exit_code"`
	Signal   int    `json:"signal,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// OOM says that the kernel killed for memory in it.
	OOM bool `json:"oom,omitempty"`
}

// ObjectPicture is an object other than a pod and what it went through.
type ObjectPicture struct {
	Kind       string            `json:"kind"`
	Name       string            `json:"name"`
	Conditions []ConditionChange `json:"conditions,omitempty"`
	GoneAt     *Instant          `json:"gone_at,omitempty"`
}

// EventPicture is a Kubernetes event.
type EventPicture struct {
	Instant
	// Type is "Normal" or "Warning"; Object is KIND/NAME.
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Object  string `json:"object"`
	Message string `json:"message"`
	Count   int    `json:"count,omitempty"`
}

// GapPicture is a stretch that a source did not see. Lost counts what is known
// to be lost in it; -1 if that is not known.
type GapPicture struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Source string  `json:"source"`
	Reason string  `json:"reason"`
	Lost   int     `json:"lost"`
	// Object and Container say what it is about; empty for a whole source.
	Object    string `json:"object,omitempty"`
	Container string `json:"container,omitempty"`
}

// LinePicture is a log line. Pod and Container are indexes into the picture's
// Pods and their Containers; -1 where it is of none of them.
type LinePicture struct {
	At        float64 `json:"at"`
	Pod       int     `json:"pod"`
	Container int     `json:"container"`
	// Run counts the container's runs from 0.
	Run    int    `json:"run,omitempty"`
	Stream string `json:"stream,omitempty"`
	Text   string `json:"text"`
	// Cut says that the line was longer than what is shown of it.
	Cut bool `json:"cut,omitempty"`
}

// SourceFile is a file of the scenario.
type SourceFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Reproduce says how to run it again.
type Reproduce struct {
	// Command is a command line for a shell.
	Command string `json:"command"`
	// Host is what ran it, such as "linux/amd64".
	Host string `json:"host,omitempty"`
}
