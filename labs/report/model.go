package report

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// ModelVersion is the version of the model's JSON form. A reader accepts any
// version up to its own.
const ModelVersion = 1

// Report is one `lab run` from beginning to end.
type Report struct {
	Version int `json:"version"`
	// ID names the run; its folder has that name.
	ID string `json:"id"`
	// File is the scenario file as it was named; Folder is the run's folder.
	File       string        `json:"file"`
	Folder     string        `json:"folder"`
	LabVersion string        `json:"lab_version"`
	StartedAt  time.Time     `json:"started_at"`
	FinishedAt time.Time     `json:"finished_at"`
	Status     expect.Status `json:"status"`
	// Interrupted says that somebody stopped it.
	Interrupted bool      `json:"interrupted,omitempty"`
	Clusters    []Cluster `json:"clusters"`
	// Skipped are clusters of the scenario that were left out.
	Skipped []SkippedCluster `json:"skipped,omitempty"`
	Runs    []ScenarioRun    `json:"runs"`
	// Errors are failures that belong to no run, such as a cluster that could
	// not be destroyed.
	Errors []string `json:"errors,omitempty"`
}

// Cluster is one cluster that the run used.
type Cluster struct {
	Name string `json:"name"`
	// Kubernetes is the version as the scenario asks for it, Version what it
	// was resolved to.
	Kubernetes   string          `json:"kubernetes"`
	Version      string          `json:"version"`
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
	Image        string          `json:"image"`
	// ImageSource is "have", "pull" or "build".
	ImageSource string `json:"image_source,omitempty"`
	// Nodes are the names of its machines, Runtime their container runtime and
	// Cgroup the version of cgroups there; empty if it did not come up.
	Nodes   []string      `json:"nodes,omitempty"`
	Runtime string        `json:"runtime,omitempty"`
	Cgroup  int           `json:"cgroup,omitempty"`
	Status  expect.Status `json:"status"`
	// Reused says that it was there from an earlier run, and clean.
	Reused bool `json:"reused,omitempty"`
	// Error says why it could not be used.
	Error string `json:"error,omitempty"`
	// Phases are what its time went into, in order.
	Phases []Phase `json:"phases,omitempty"`
}

// SkippedCluster is a cluster on which nothing was run because its version
// could not be had.
type SkippedCluster struct {
	Name string `json:"name"`
	// Kubernetes is the version as the scenario asks for it.
	Kubernetes string `json:"kubernetes"`
	// Reason says why it was left out.
	Reason string `json:"reason"`
}

// Phase is a stretch of a cluster's life, such as "create" or "destroy".
type Phase struct {
	Name    string        `json:"name"`
	Elapsed time.Duration `json:"elapsed"`
}

// ScenarioRun is one scenario on one cluster.
type ScenarioRun struct {
	Scenario    string        `json:"scenario"`
	Description string        `json:"description,omitempty"`
	Cluster     string        `json:"cluster"`
	Namespace   string        `json:"namespace"`
	Status      expect.Status `json:"status"`
	StartedAt   time.Time     `json:"started_at"`
	FinishedAt  time.Time     `json:"finished_at"`
	Steps       []Step        `json:"steps"`
	// Pods are those that were seen, with what they went through.
	Pods []Pod `json:"pods,omitempty"`
	// Observed says how much was observed, and how well.
	Observed Observed `json:"observed"`
}

// Observed says how much a run observed, and what it did not see.
type Observed struct {
	// Records counts all that was recorded, Lines the log lines among it.
	Records uint64 `json:"records"`
	Lines   uint64 `json:"lines"`
	// Gaps counts the stretches that a source did not see, and Lost what is
	// known to be lost in them.
	Gaps int `json:"gaps"`
	Lost int `json:"lost"`
	// Waits counts how often a source had to wait because records came faster
	// than they were judged, and Waited is for how long in all.
	Waits  uint64        `json:"waits"`
	Waited time.Duration `json:"waited"`
	// Clocks says how far the cluster's clocks were from this machine's; nil
	// where they were the same, or not measured as in old recordings.
	Clocks *Clocks `json:"clocks,omitempty"`
}

// Clocks says how far the clocks of a cluster were ahead of this machine's while
// a scenario ran, in nanoseconds.
type Clocks struct {
	// Low and High bound the offset: it was from the one to the other.
	Low  time.Duration `json:"low"`
	High time.Duration `json:"high"`
	// Unknown says that a clock could not be measured, so that nothing bounds it.
	Unknown bool `json:"unknown,omitempty"`
	// Jumps counts how often one of the clocks was found to have been set, or to
	// have stood still.
	Jumps int `json:"jumps,omitempty"`
}

// Step is the result of a step or an expectation.
type Step struct {
	Name   string        `json:"name"`
	Verb   string        `json:"verb"`
	Status expect.Status `json:"status"`
	// BeganAt and EndedAt are seconds since the scenario's run began.
	BeganAt float64 `json:"began_at"`
	EndedAt float64 `json:"ended_at"`
	// Detail says what was done, or why it failed.
	Detail string `json:"detail,omitempty"`
	// Outcome is the result of a step that was done, in a word, such as
	// "refused"; empty if the result is "done".
	Outcome string `json:"outcome,omitempty"`
	// Verdict is set for an expectation.
	Verdict *expect.Verdict `json:"verdict,omitempty"`
}

// Pod is what a pod went through.
type Pod struct {
	Name string `json:"name"`
	// Statuses are the distinct values of kubectl's STATUS column in order.
	Statuses   []string    `json:"statuses"`
	Containers []Container `json:"containers"`
}

// Container is what a container of a pod went through.
type Container struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// StartedAt and FinishedAt are seconds since the scenario's run began, of
	// the newest run of the container; nil if that did not happen.
	StartedAt  *float64 `json:"started_at,omitempty"`
	FinishedAt *float64 `json:"finished_at,omitempty"`
	ExitCode   *int     `json:"exit_code,omitempty"`
	Restarts   int      `json:"restarts"`
	// Source says where the times are from: "runtime" (nanoseconds) or "api"
	// (whole seconds).
	Source string `json:"source,omitempty"`
}

// EventKind says what an Event reports.
type EventKind string

// The kinds of events.
const (
	// EventProgress is a phase that began, went on or ended: Text.
	EventProgress EventKind = "progress"
	// EventStep is a step that began or ended: Text, and Step where it ended.
	EventStep EventKind = "step"
	// EventRecord is something observed: Record.
	EventRecord EventKind = "record"
	// EventVerdict is an expectation decided: Step with its Verdict.
	EventVerdict EventKind = "verdict"
	// EventError is a failure: Text.
	EventError EventKind = "error"
	// EventWarning is something to know that changes no verdict: Text.
	EventWarning EventKind = "warning"
)

// Event is reported while a run is in progress.
type Event struct {
	// At is the time since the `lab run` began.
	At   time.Duration
	Kind EventKind
	// Cluster and Scenario say where; empty if it is about all.
	Cluster, Scenario string
	Text              string
	// Done says that nothing more comes of the cluster.
	Done   bool
	Record *collectors.Record
	Step   *Step
}
