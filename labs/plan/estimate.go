package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kind-lab/lab/dsl"
)

// What the parts of a run take beside what the scenario says, roughly: seen
// with kind on two processors.
const (
	// boot is a cluster of one node from nothing to ready; join is what every
	// further node adds.
	boot = 40 * time.Second
	join = 15 * time.Second
	// connect is what a cluster needs that does not boot here.
	connect = time.Second
	// around is the namespace, the observers and the sealing of one run.
	around = 2 * time.Second
	// destroy is the end of a cluster.
	destroy = 2 * time.Second
	// settle is how long an expectation with neither within nor hold waits for
	// what is not known yet.
	settle = 10 * time.Second
)

// Span is a stretch of time that is known to lie between two, each in
// nanoseconds in JSON.
type Span struct {
	// Least is where everything comes at once, Most where every deadline is
	// used up.
	Least time.Duration `json:"least"`
	Most  time.Duration `json:"most"`
}

func (s Span) plus(o Span) Span { return Span{s.Least + o.Least, s.Most + o.Most} }

// Path is what one cluster's time goes into.
type Path struct {
	Cluster string `json:"cluster"`
	// Image is how long it takes to have its node image; 0 where it is there.
	Image time.Duration `json:"image"`
	// Wait is how long it waits for the images of others and for a slot among
	// those that boot at once, and Boot how long it boots.
	Wait time.Duration `json:"wait"`
	Boot time.Duration `json:"boot"`
	// Scenarios are the titles of its runs, in their order, and Runs is how
	// long they take, one after the other.
	Scenarios []string `json:"scenarios"`
	Runs      Span     `json:"runs"`
	// Total is the time until it is gone, since the beginning of all.
	Total Span `json:"total"`
}

// Estimate is how long a run will take, roughly. Clusters run side by side.
type Estimate struct {
	// Total is that of the cluster that is last.
	Total Span   `json:"total"`
	Paths []Path `json:"paths"`
}

// Bounds are how many clusters may do what at once.
type Bounds struct {
	// Creates is how many may boot; less than 1 stands for 1. Clusters is how
	// many may be in use, from their boot on; less than 1 stands for all.
	Creates, Clusters int
}

// Estimate says how long the plan will take within the bounds. Node images are
// made one after the other.
func (p *Plan) Estimate(b Bounds) Estimate {
	e := Estimate{}
	least := p.schedule(b, func(s Span) time.Duration { return s.Least })
	most := p.schedule(b, func(s Span) time.Duration { return s.Most })
	for i, path := range least {
		path.Total.Most = most[i].Total.Most
		e.Paths = append(e.Paths, path)
		e.Total = Span{max(e.Total.Least, path.Total.Least), max(e.Total.Most, path.Total.Most)}
	}
	return e
}

// schedule are the clusters' paths where runs take the one or the other end of
// their spans.
func (p *Plan) schedule(b Bounds, takes func(Span) time.Duration) []Path {
	if b.Clusters < 1 {
		b.Clusters = max(1, len(p.Clusters))
	}
	boots, uses := make(slots, max(1, b.Creates)), make(slots, b.Clusters)
	var images time.Duration
	there := map[string]bool{}
	var paths []Path
	for _, c := range p.Clusters {
		path := p.path(c)
		if there[c.Image.Ref] {
			path.Image = 0
		}
		there[c.Image.Ref] = true
		use := uses.next()
		begins := uses[use]
		if c.Capabilities.UsesSlot {
			images = max(images, begins) + path.Image
			boot := boots.next()
			begins = max(images, boots[boot])
			boots[boot] = begins + path.Boot
		}
		path.Wait = begins - path.Image
		gone := begins + path.Boot + takes(path.Runs) + destroy
		uses[use] = gone
		path.Total = Span{gone, gone}
		paths = append(paths, path)
	}
	return paths
}

// path is what a cluster's time goes into when nothing is waited for.
func (p *Plan) path(c Cluster) Path {
	path := Path{Cluster: c.Name, Image: c.Image.Estimate, Boot: c.boots(), Scenarios: []string{}}
	for _, r := range p.Runs {
		if r.Cluster == c.Name {
			path.Scenarios = append(path.Scenarios, r.Scenario)
			path.Runs = path.Runs.plus(r.span())
		}
	}
	return path
}

// slots are when each of so many slots is free.
type slots []time.Duration

// next is the one that is free first.
func (s slots) next() int { return slices.Index(s, slices.Min(s)) }

// boots is how long a cluster takes until it is ready.
func (c Cluster) boots() time.Duration {
	if !c.Capabilities.UsesSlot {
		return connect
	}
	return boot + join*time.Duration(max(1, c.Spec.ControlPlanes)+c.Spec.Workers-1)
}

// span is how long a run takes.
func (r ScenarioRun) span() Span {
	s := Span{around, around}
	for _, st := range r.Steps {
		s = s.plus(Span{st.Hold + st.Duration, st.Longest()})
		if st.Verb == dsl.VerbExpect && st.Within == 0 {
			s.Most += settle
		}
	}
	return s
}

// WriteText prints the estimate for a person.
func (e Estimate) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "About %s where everything comes at once, at most %s where every deadline is used up.\n\n",
		roughly(e.Total.Least), roughly(e.Total.Most))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tIMAGE\tWAITS\tBOOTS\tSCENARIOS IN THIS ORDER\tTHEY TAKE\tGONE AFTER")
	for _, p := range e.Paths {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Cluster, orNone(p.Image), orNone(p.Wait), roughly(p.Boot),
			strings.Join(p.Scenarios, ", "), p.Runs, p.Total)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String writes "5s to 3m5s", or one time where they are the same.
func (s Span) String() string {
	if least, most := roughly(s.Least), roughly(s.Most); least != most {
		return least + " to " + most
	}
	return roughly(s.Most)
}

// roughly writes a duration to the second.
func roughly(d time.Duration) string { return short(d.Round(time.Second)) }

func orNone(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return roughly(d)
}

// DocumentVersion is the version of a Document's JSON form. It is raised when a
// reader of an older one would be misled; what is added raises nothing.
const DocumentVersion = 1

// Document is a plan with its estimate, as `lab plan --json` prints it.
// Durations are nanoseconds.
type Document struct {
	Version int `json:"version"`
	*Plan
	Estimate Estimate `json:"estimate"`
}

// Document returns the plan with its estimate; see Estimate for the bounds.
func (p *Plan) Document(b Bounds) Document {
	return Document{Version: DocumentVersion, Plan: p, Estimate: p.Estimate(b)}
}
