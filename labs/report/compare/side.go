package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// side is a Side with what is compared of it.
type side struct {
	Side
	cluster report.Cluster
	run     report.ScenarioRun
	picture document.Picture
}

// named gives each run a name of its own.
func named(docs []document.Document) []Invocation {
	runs := []Invocation{}
	count := map[string]int{}
	for _, d := range docs {
		id := cmp.Or(d.Report.ID, "run")
		count[id]++
		name := id
		if n := count[id]; n > 1 {
			name = fmt.Sprintf("%s (%d)", id, n)
		}
		runs = append(runs, Invocation{Name: name, ID: d.Report.ID, File: d.Report.File})
	}
	return runs
}

// sidesOf are a document's sides, clusters in the report's order.
func sidesOf(d document.Document, run string, o Options) []side {
	place := map[string]int{}
	clusters := map[string]report.Cluster{}
	for i, c := range d.Report.Clusters {
		place[c.Name], clusters[c.Name] = i+1, c
	}
	var sides []side
	for _, r := range d.Report.Runs {
		if o.Keep != nil && !o.Keep(r.Scenario, r.Cluster) {
			continue
		}
		c := clusters[r.Cluster]
		s := side{cluster: c, run: r, Side: Side{
			Name: r.Cluster, Run: run, Cluster: r.Cluster, Status: r.Status,
			Kubernetes: cmp.Or(c.Version, c.Kubernetes), FeatureGates: c.FeatureGates,
		}}
		for _, p := range d.Pictures {
			if p.Scenario == r.Scenario && p.Cluster == r.Cluster {
				s.picture = p
			}
		}
		sides = append(sides, s)
	}
	slices.SortStableFunc(sides, func(a, b side) int { return cmp.Compare(place[a.Cluster], place[b.Cluster]) })
	return sides
}

// usable says whether the side can be compared, and what is to be known of it.
func (s side) usable() (note string, ok bool) {
	switch {
	case s.cluster.Error != "" && s.run.StartedAt.IsZero():
		first, _, _ := strings.Cut(s.cluster.Error, "\n")
		return fmt.Sprintf("%s is not compared, because its cluster could not be used: %s", s.Name, first), false
	case s.run.StartedAt.IsZero():
		return s.Name + " is not compared, because it did not start.", false
	case len(s.picture.Gaps) > 0:
		return fmt.Sprintf("%s was not observed completely: %s. This can cause a difference.", s.Name, gaps(s.picture.Gaps)), true
	}
	return "", true
}

func gaps(all []document.GapPicture) string {
	var out []string
	for _, g := range all {
		text := fmt.Sprintf("the source %q saw nothing from %.1f s to %.1f s", g.Source, g.From, g.To)
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	const most = 3
	if more := len(out) - most; more > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more gaps", more))
	}
	return strings.Join(out, ", ")
}

// minor is the version without its patch, or what is written if it is none.
func (s side) minor() string {
	v, err := clusters.ReleaseOf(s.Kubernetes)
	if err != nil {
		return s.Kubernetes
	}
	return v.Line()
}

// gates are the side's feature gates in one text.
func (s side) gates() string {
	return strings.Join(clusters.FeatureGates(s.FeatureGates).Signed(), " ")
}

// About is the side's version and gates, such as "1.28.15 +SidecarContainers".
func (s Side) About() string {
	return strings.Join(append([]string{s.Kubernetes}, clusters.FeatureGates(s.FeatureGates).Signed()...), " ")
}

// table are sides that are compared with one another.
type table struct {
	scenario, cluster string
	sides             []side
}

// tables puts the sides of a scenario together; byCluster those on a cluster,
// but where no cluster is in several runs, all of the scenario.
func tables(all []side, byCluster bool) []table {
	var out []table
	for _, s := range all {
		i := slices.IndexFunc(out, func(t table) bool { return t.scenario == s.run.Scenario && (!byCluster || t.takes(s, all)) })
		if i < 0 {
			i = len(out)
			t := table{scenario: s.run.Scenario}
			if byCluster {
				t.cluster = s.Cluster
			}
			out = append(out, t)
		}
		if byCluster {
			s.Name = s.Run
		}
		out[i].sides = append(out[i].sides, s)
	}
	if byCluster {
		out = fused(out)
	}
	place := map[string]int{}
	for i, t := range out {
		if _, known := place[t.scenario]; !known {
			place[t.scenario] = i
		}
	}
	slices.SortStableFunc(out, func(a, b table) int { return place[a.scenario] - place[b.scenario] })
	return out
}

// fused are the tables, but one alone of a scenario that several runs have, and
// of which no table has several sides.
func fused(all []table) []table {
	var out []table
	for _, t := range all {
		same := func(o table) bool { return o.scenario == t.scenario }
		apart := slices.ContainsFunc(all, func(o table) bool { return same(o) && o.sides[0].Run != t.sides[0].Run }) &&
			!slices.ContainsFunc(all, func(o table) bool { return same(o) && len(o.sides) > 1 })
		i := slices.IndexFunc(out, same)
		if apart {
			t.cluster = ""
			t.sides[0].Name = t.sides[0].Run + "/" + t.sides[0].Cluster
			if i >= 0 {
				out[i].sides = append(out[i].sides, t.sides...)
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// takes says whether a run on a cluster is to be compared with those there: on
// one of that name, or of that version and those gates where neither run has
// one of the other's name.
func (t table) takes(s side, all []side) bool {
	if slices.ContainsFunc(t.sides, func(o side) bool { return o.Run == s.Run }) {
		return false
	}
	first := t.sides[0]
	if first.Cluster == s.Cluster {
		return true
	}
	has := func(run, cluster string) bool {
		return slices.ContainsFunc(all, func(o side) bool { return o.Run == run && o.run.Scenario == t.scenario && o.Cluster == cluster })
	}
	return first.Kubernetes == s.Kubernetes && first.gates() == s.gates() && !has(s.Run, first.Cluster) && !has(first.Run, s.Cluster)
}
