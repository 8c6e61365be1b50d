// Package value converts observations into the values that expressions use: the
// roots var, local, target, pod, job and step, and the functions. A value that was
// not observed yet is unknown. A value that is known to be absent is null.
package value

import (
	"regexp"
	"time"
)

// Time is a moment of a run.
type Time struct {
	// Seconds since the run began; negative before it.
	Seconds float64
	// Precision is the maximum error: the moment was up to that much later, or
	// with Late, up to that much earlier.
	Precision time.Duration
	// Late says that Seconds is the time at which it was noticed.
	Late bool
	// Source is where the time comes from: "runtime", "api", "log" or "lab".
	Source string
}

// Opt is a value that is known, known to be absent, or not observed yet. Its
// zero value is "not observed yet".
type Opt[T any] struct {
	Value T
	State State
}

// State says what is known about a value.
type State int

// The states of a value.
const (
	// Unknown is not observed yet.
	Unknown State = iota
	// Absent is known to be absent: null.
	Absent
	// Known is known.
	Known
)

// Some is a known value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, State: Known} }

// None is a value that is known to be absent.
func None[T any]() Opt[T] { return Opt[T]{State: Absent} }

// Target is the cluster that a scenario runs on.
type Target struct {
	Name         string
	Kubernetes   string
	Minor        int
	FeatureGates map[string]bool
	// GatesUnknown says that the feature gates are unknown, and NodesUnknown
	// that the nodes are.
	GatesUnknown, NodesUnknown bool
	NativeSidecars             bool
	OrderedTermination         bool
	Nodes                      []string
	Runtime                    string
	Cgroup                     int
}

// Pod is what is known about a pod. A nil *Pod was not observed yet. Strings that
// are not an Opt are empty until they are observed.
type Pod struct {
	// Absent says that there is no such pod and never was: null.
	Absent     bool
	Name, UID  string
	IP         Opt[string]
	Node       Opt[string]
	Phase      string
	Status     string
	Statuses   []string
	Ready      string
	Reason     Opt[string]
	Conditions map[string]bool
	// Containers are in the spec's order, init containers first.
	Containers []*Container
	// StartOrder and ExitOrder are the names of the containers that started,
	// and that terminated; nil if the times do not show the order.
	StartOrder []string
	ExitOrder  []string
	CreatedAt  Time
	DeletedAt  Opt[Time]
	GoneAt     Opt[Time]
	QOS        string
	// Events are the Kubernetes events about it, in the order first seen.
	Events []Event
	// Blind says why its state in the API is unknown now; empty if it is known.
	Blind string
	// StatusesLack, OrderLacks and EventsLack say why Statuses, StartOrder and
	// ExitOrder, and Events may be incomplete; empty if they are complete.
	StatusesLack, OrderLacks, EventsLack string
}

// Container is what is known about a container.
type Container struct {
	Name string
	// Kind is "init", "sidecar", "main" or "ephemeral".
	Kind string
	// State is "waiting", "running" or "terminated".
	State    Opt[string]
	Reason   Opt[string]
	Ready    Opt[bool]
	Started  Opt[bool]
	Restarts Opt[int]
	// ExitCode and Signal are those of the newest terminated run. Signal is
	// absent if no signal terminated it.
	ExitCode   Opt[int]
	Signal     Opt[int]
	OOMKilled  Opt[bool]
	Image      string
	StartedAt  Opt[Time]
	ReadyAt    Opt[Time]
	FinishedAt Opt[Time]
	Runs       []ContainerRun
	// Log is its log; nil if there is none.
	Log Log
	// ByRuntime says that the container runtime itself reported its starts and
	// ends: they do not wait for the API.
	ByRuntime bool
	// Blind says why its present state is unknown; empty if it is known. EndBlind
	// says so for its newest start and end, and ReadyBlind for ReadyAt. RunsLack
	// says why Runs may be incomplete.
	Blind, EndBlind, ReadyBlind, RunsLack string
}

// Log is the part of a container's log that was read.
type Log interface {
	// Lines are the lines that are kept, in the order in which they were read.
	Lines() []Line
	// First is the first line that matches; false if none matched so far.
	First(pattern *regexp.Regexp) (Line, bool)
	// Lacks says why lines may be missing before those that are kept, or among
	// them; empty if the log is complete so far. For a pattern that was used
	// before, it is about the lines that First did not see.
	Lacks(pattern *regexp.Regexp) string
}

// Lines is a complete log.
type Lines []Line

// Lines are all of them.
func (l Lines) Lines() []Line { return l }

// First is the first line that matches.
func (l Lines) First(pattern *regexp.Regexp) (Line, bool) {
	for _, line := range l {
		if pattern.MatchString(line.Text) {
			return line, true
		}
	}
	return Line{}, false
}

// Lacks is empty.
func (l Lines) Lacks(*regexp.Regexp) string { return "" }

var _ Log = Lines(nil)

// ContainerRun is one run of a container.
type ContainerRun struct {
	StartedAt  Opt[Time]
	FinishedAt Opt[Time]
	ExitCode   Opt[int]
}

// Line is one line of a log.
type Line struct {
	At   Time
	Text string
}

// Job is what is known about a Job. A nil *Job was not observed yet.
type Job struct {
	// Absent says that there is no such Job and never was: null.
	Absent     bool
	Name       string
	Complete   bool
	Failed     bool
	Active     int
	Succeeded  int
	Failures   int
	Conditions map[string]bool
	// Pods are in the order of their creation: the newest is last.
	Pods        []*Pod
	StartedAt   Opt[Time]
	CompletedAt Opt[Time]
	// Blind says why its state is unknown now; empty if it is known. PodsLack
	// says why it may have had more pods.
	Blind, PodsLack string
}

// Step is the result of a step. A nil *Step has not run yet.
type Step struct {
	StartedAt  Time
	FinishedAt Time
	// Error is the error that the scenario expected; absent if there was none.
	Error    Opt[string]
	Warnings []string
	// Stdout, Stderr and ExitCode are those of a command; absent if the step
	// ran none.
	Stdout   Opt[string]
	Stderr   Opt[string]
	ExitCode Opt[int]
}
