package step

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/clusters"
)

// Forecast is what a step will do, as far as its block tells before a run. The
// zero value is a step that makes nothing and needs nothing.
type Forecast struct {
	// Creates gives the manifests of the objects that the step creates or
	// changes: a string or a list of strings; nil for none. Strict says that
	// the API server rejects fields that it does not know.
	Creates hcl.Expression
	Strict  bool
	// Namespace gives the namespace of those that name none; nil for the run's
	// own.
	Namespace hcl.Expression
	// Requests are what the step asks of the API server.
	Requests []Request
	// Unforeseen says that the step may make objects that no manifest tells of.
	Unforeseen bool
	// AltersPods says that pods may have other containers afterwards than their
	// manifests say.
	AltersPods bool
	// Reach is what the step needs of the nodes. If it needs any, Does says what
	// it does with them ("runs a command on a node"), and Instead what to write
	// instead, a sentence, or nothing.
	Reach         Reach
	Does, Instead string
	// OnHost says that the step runs a command on this machine.
	OnHost bool
	// Output says that the step runs a command, so that its result has stdout,
	// stderr and exit_code.
	Output bool
}

// Request is what a step asks of the API server: some verbs of the API, to the
// objects of manifests, to objects that are named, or to a kind.
type Request struct {
	Verbs []string
	// Manifests gives manifests, and Objects names of the form KIND/NAME: a
	// string or a list of strings. At most one of them is set.
	Manifests, Objects hcl.Expression
	// Namespace is where those are that name none; nil for the run's own.
	Namespace hcl.Expression
	// APIVersion, Kind and Subresource are set where neither is.
	APIVersion, Kind, Subresource string
}

// Reach is what a step needs of a cluster's nodes.
type Reach int

const (
	// NoNodes is a step that leaves the nodes alone.
	NoNodes Reach = iota
	// OnNodes is one that runs a command on a node.
	OnNodes
	// OwnNodes is one that does something to a node that others may need.
	OwnNodes
)

// Needs is the capability that a cluster needs for it; empty if it needs none.
func (r Reach) Needs() clusters.Capability {
	switch r {
	case OnNodes:
		return clusters.ExecOnNodes
	case OwnNodes:
		return clusters.OperateNodes
	}
	return ""
}
