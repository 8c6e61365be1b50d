// Package compare says in what the clusters of a run differ, or runs that were
// recorded: in verdicts, STATUS, order of starts and ends, exit codes,
// durations and the conditions of Jobs; and where they came out alike although
// they were asked to differ. All of it is a pure function of documents.
//
// Pods are found again by their Title and containers by their name. Times that
// their sources cannot order have no order here either, and ends less than
// Together apart count as one: that is how close containers end that are
// stopped at once.
package compare

import (
	"slices"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/document"
)

// Version is the version of a comparison's JSON form. What is added to it later
// does not change what is there; the version is raised where that cannot be
// kept.
const Version = 1

// Comparison is what differs.
type Comparison struct {
	Version int `json:"version"`
	// Runs are the runs that were compared, in the order given.
	Runs []Invocation `json:"runs"`
	// Parts are the comparisons, one for each scenario; where runs are compared
	// with one another, for each scenario on each cluster.
	Parts []Part `json:"parts"`
	// Notes say what was there and could not be compared with anything.
	Notes []string `json:"notes,omitempty"`
}

// Invocation is a `lab run` that was compared.
type Invocation struct {
	// Name tells it from the others: its ID, or "ID (2)" where it was given
	// twice.
	Name string `json:"name"`
	ID   string `json:"id"`
	// File is the scenario as it was named.
	File string `json:"file"`
}

// Part compares sides with one another.
type Part struct {
	Scenario    string `json:"scenario"`
	Description string `json:"description,omitempty"`
	// Cluster is the cluster on which runs are compared; empty if the sides
	// are clusters.
	Cluster string `json:"cluster,omitempty"`
	// Sides are what is compared, in the order of the clusters or the runs.
	Sides []Side `json:"sides"`
	// Compared is how many of them could be compared; Notes say why others were
	// not.
	Compared int `json:"compared"`
	// Differences are in the order of their kinds as listed at Kind.
	Differences []Difference `json:"differences"`
	// Alike are sides that differ in nothing although they were asked to: they
	// have other minor versions or other feature gates.
	Alike []Alike `json:"alike,omitempty"`
	// Notes say what could not be compared, and why.
	Notes []string `json:"notes,omitempty"`
}

// Side is a scenario's run on a cluster.
type Side struct {
	// Name tells it from the others of its part: the cluster's name, or the
	// run's.
	Name    string `json:"name"`
	Run     string `json:"run"`
	Cluster string `json:"cluster"`
	// Kubernetes is the whole version, such as "1.28.15".
	Kubernetes   string          `json:"kubernetes"`
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
	Status       expect.Status   `json:"status"`
}

// Kind says in what sides differ.
type Kind string

// The kinds of differences, in the order in which they are printed.
const (
	// KindVerdict is the result of an expectation, KindStep of another step.
	KindVerdict Kind = "verdict"
	KindStep    Kind = "step"
	// KindPod is whether a pod, or a container of it, was there.
	KindPod Kind = "pod"
	// KindStatus is the course of a pod's STATUS.
	KindStatus Kind = "status"
	// KindContainer is what a container is: init, sidecar or main.
	KindContainer Kind = "container"
	// KindStarts and KindEnds are the order in which a pod's containers started
	// and ended.
	KindStarts Kind = "starts"
	KindEnds   Kind = "ends"
	// KindExit is how a container ended: its exit code and reason.
	KindExit Kind = "exit"
	// KindRestarts is how often a container ran.
	KindRestarts Kind = "restarts"
	// KindDuration is how long a container ran, and KindSpan how long after a
	// pod's first container the last one ended.
	KindDuration Kind = "duration"
	KindSpan     Kind = "span"
	// KindQOS is a pod's quality of service.
	KindQOS Kind = "qos"
	// KindCondition is the conditions of a Job, or of another object, at the
	// end.
	KindCondition Kind = "condition"
)

// Difference is something in which sides differ.
type Difference struct {
	Kind Kind `json:"kind"`
	// Subject is what it is about: an expectation, a step, a pod's Title, with
	// the container's name after a slash, or an object as KIND/NAME.
	Subject string `json:"subject"`
	// Groups are at least two. A side of which it is not known is in none.
	Groups []Group `json:"groups"`
}

// Group are sides that agree.
type Group struct {
	// Text says what is so there, for people.
	Text  string   `json:"text"`
	Sides []string `json:"sides"`
	// Status is set for verdicts and steps.
	Status *expect.Status `json:"status,omitempty"`
}

// Alike are sides that came out alike although they were asked to differ.
type Alike struct {
	Sides []string `json:"sides"`
	// Asked is in what: "minor version", "feature gates", or both.
	Asked []string `json:"asked"`
}

// Options choose what is compared.
type Options struct {
	// Keep says whether a scenario on a cluster is compared; nil means all.
	Keep func(scenario, cluster string) bool
}

// Compare compares the clusters of a document with one another; of several
// documents, the runs of each scenario on each cluster. There a cluster is found
// again by its name, or else by its version and feature gates.
func Compare(docs []document.Document, o Options) Comparison {
	c := Comparison{Version: Version, Runs: named(docs), Parts: []Part{}}
	var all []side
	for i, d := range docs {
		all = append(all, sidesOf(d, c.Runs[i].Name, o)...)
	}
	for _, t := range tables(all, len(docs) > 1) {
		if len(t.sides) < 2 {
			if len(docs) > 1 {
				s := t.sides[0]
				c.Notes = append(c.Notes, s.run.Scenario+" on "+s.Cluster+" is in "+s.Run+" alone.")
			}
			continue
		}
		c.Parts = append(c.Parts, t.part())
	}
	return c
}

// Differ says whether there is any difference.
func (c Comparison) Differ() bool {
	return slices.ContainsFunc(c.Parts, func(p Part) bool { return len(p.Differences) > 0 })
}

// part compares the table's sides.
func (t table) part() Part {
	p := Part{Scenario: t.scenario, Cluster: t.cluster, Differences: []Difference{}}
	var there []side
	for _, s := range t.sides {
		p.Sides = append(p.Sides, s.Side)
		if p.Description == "" {
			p.Description = s.run.Description
		}
		note, usable := s.usable()
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
		if usable {
			there = append(there, s)
		}
	}
	if p.Compared = len(there); p.Compared < 2 {
		return p
	}
	p.Differences = append(p.Differences, verdicts(there)...)
	p.Differences = append(p.Differences, pods(there)...)
	p.Differences = append(p.Differences, objects(there)...)
	p.Alike = alike(there, p.Differences)
	return p
}
