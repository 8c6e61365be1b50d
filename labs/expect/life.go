package expect

import (
	"slices"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// life is the present state of a container out of what the API and the container
// runtime tell of it. The API lags the runtime by a second or more: where the
// runtime saw more, that counts, and what only the API can tell of that is
// unknown.
type life struct {
	state    string
	reason   value.Opt[string]
	ready    value.Opt[bool]
	started  value.Opt[bool]
	restarts value.Opt[int]
}

// The states of a container.
const (
	stateRunning    = "running"
	stateTerminated = "terminated"
)

// lifeOf joins the two views of a container.
func lifeOf(c *collectors.ContainerState) life {
	l := life{
		state: c.State, reason: orMissing(c.Reason, c.State != ""),
		ready: value.Some(c.Ready), restarts: value.Some(c.Restarts),
	}
	if c.Container.Started != nil {
		l.started = value.Some(*c.Container.Started)
	}
	if len(c.Runs) == 0 {
		return l
	}
	newest := &c.Runs[len(c.Runs)-1]
	at, current := apiRun(c)
	later := len(c.Runs) - 1 - at // the runs that the API has not reported
	if later == 0 && (!current || c.State != stateRunning || !newest.Exited) {
		return l
	}
	l.ready, l.started, l.reason = value.Opt[bool]{}, value.Opt[bool]{}, value.Opt[string]{}
	l.state = stateRunning
	if newest.Exited {
		l.state, l.ready = stateTerminated, value.Some(false)
	} else {
		l.reason = value.None[string]()
	}
	if at < 0 {
		later-- // its first run is no restart
	}
	l.restarts = value.Some(c.Restarts + later)
	return l
}

// apiRun is the place among a container's runs of the newest one that the API
// reported, -1 if it reported none; current says that this is the one that the
// API says is running or terminated.
func apiRun(c *collectors.ContainerState) (at int, current bool) {
	place := func(run *collectors.ContainerRun) int {
		if run == nil {
			return -1
		}
		return slices.IndexFunc(c.Runs, func(r collectors.RunState) bool { return r.ID == run.ID && run.ID != "" })
	}
	if i := place(c.Current); c.Current != nil {
		if i < 0 { // the API reported no id: its run is the last that it counts
			i = min(c.Restarts, len(c.Runs)-1)
		}
		return i, true
	}
	if i := place(c.Last); c.Last != nil && i < 0 {
		return min(c.Restarts, len(c.Runs)-1), false
	} else if c.Last != nil {
		return i, false
	}
	return -1, false
}

// isWhole says whether a container's runs are all that it had: the API counts as
// many restarts up to the newest of them, and each is known from its start to
// its end, or still runs.
func isWhole(c *collectors.ContainerState) bool {
	newest := len(c.Runs) - 1
	if newest < 0 || c.Restarts != newest {
		return false
	}
	told := c.Current
	if told == nil {
		told = c.Last
	}
	if told == nil || told.ID == "" || told.ID != c.Runs[newest].ID {
		return false
	}
	for i, r := range c.Runs {
		if !r.StartedAt.Known() || i < newest && (!r.Exited || !r.FinishedAt.Known()) {
			return false
		}
	}
	return true
}
