// Package value turns what was observed into the values that expressions use:
// the roots var, local, target, pod, job and step, and the functions. What was
// not observed yet is unknown; what is known to be absent is null.
package value

import (
	"regexp"
	"time"
)

// Time is a moment of a run.
type Time struct {
	// Seconds since the run began; negative before it.
	Seconds float64
	// Precision is how finely it is known: it was up to so much later, or with Late
	// up to so much sooner.
	Precision time.Duration
	// Late says that it is the time at which somebody heard of it.
	Late bool
	// Source names where it is from: "runtime", "api", "log" or "lab".
	Source string
}

// Opt is a value that is known, known to be absent, or not observed yet. Its
// zero value is "not observed yet".
type Opt[T any] struct {
	Value T
	State State
}

// State says what is known of a value.
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

// Target is the cluster that a scenario runs on now.
type Target struct {
	Name         string
	Kubernetes   string
	Minor        int
	FeatureGates map[string]bool
	// GatesUnknown says that the gates cannot be known, and NodesUnknown that
	// the nodes cannot.
	GatesUnknown, NodesUnknown bool
	NativeSidecars             bool
	OrderedTermination         bool
	Nodes                      []string
	Runtime                    string
	Cgroup                     int
}

// Pod is what is known of a pod. A nil *Pod was not observed yet. Strings that
// are no Opt are empty while they were not observed.
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
	// and that ended; nil where the times do not tell the order.
	StartOrder []string
	ExitOrder  []string
	CreatedAt  Time
	DeletedAt  Opt[Time]
	GoneAt     Opt[Time]
	QOS        string
	// Events are the Kubernetes events about it, in the order first seen.
	Events []Event
	// Blind says why the API's state of it is not known now; empty if it is.
	Blind string
	// StatusesLack, OrderLacks and EventsLack say why Statuses, StartOrder and
	// ExitOrder, and Events may lack some; empty if they are whole.
	StatusesLack, OrderLacks, EventsLack string
}

// Container is what is known of a container.
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
	// ExitCode and Signal are those of the newest run that ended; Signal is
	// absent where it ended by itself.
	ExitCode   Opt[int]
	Signal     Opt[int]
	OOMKilled  Opt[bool]
	Image      string
	StartedAt  Opt[Time]
	ReadyAt    Opt[Time]
	FinishedAt Opt[Time]
	Runs       []Run
	// Log is what it wrote; nil for nothing.
	Log Log
	// ByRuntime says that the container runtime told of its starts and ends
	// itself: what it tells does not wait for the API.
	ByRuntime bool
	// Blind says why its present state is not known; empty if it is. EndBlind
	// says so of its newest start and end, ReadyBlind of ReadyAt; RunsLack says
	// why Runs may lack some.
	Blind, EndBlind, ReadyBlind, RunsLack string
}

// Log is what was read of a container's log.
type Log interface {
	// Lines are the lines that are kept, in the order in which they were read.
	Lines() []Line
	// First is the first line that matches; false if none did so far.
	First(pattern *regexp.Regexp) (Line, bool)
	// Lacks says why lines may be missing before those that are kept, or among
	// them; empty if the log is whole so far. Of a pattern that was asked for
	// before, it is about the lines that First did not see.
	Lacks(pattern *regexp.Regexp) string
}

// Lines is a log of which nothing is missing.
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

// Run is one run of a container.
type Run struct {
	StartedAt  Opt[Time]
	FinishedAt Opt[Time]
	ExitCode   Opt[int]
}

// Line is one line of a log.
type Line struct {
	At   Time
	Text string
}

// Job is what is known of a Job. A nil *Job was not observed yet.
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
	// Blind says why its state is not known now; empty if it is. PodsLack says
	// why it may have had more pods.
	Blind, PodsLack string
}

// Step is the result of a step. A nil *Step was not done yet.
type Step struct {
	StartedAt  Time
	FinishedAt Time
	// Error is the refusal that the scenario expected; absent where there
	// was none.
	Error    Opt[string]
	Warnings []string
	// Stdout, Stderr and ExitCode are those of a command; absent where the
	// step ran none.
	Stdout   Opt[string]
	Stderr   Opt[string]
	ExitCode Opt[int]
}
