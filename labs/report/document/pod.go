package document

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/kind-lab/lab/collectors"
)

// podFold is what the timeline does not keep of a pod: when things changed.
type podFold struct {
	statuses   []StatusChange
	conditions conditionFold
	// killings are the kubelet's events of that name, ready the moments at
	// which a run was first seen ready, by the container's name.
	killings []hint
	ready    map[string][]hint
	// known is when each state of the API was received, by its resource
	// version.
	known     map[string]knownState
	snapshots snapshotFold
}

// hint is a moment with what it is about: the message of an event, or the
// runtime's id of a container.
type hint struct {
	at   Instant
	text string
}

// knownState is what the journal says of a state that is kept as YAML.
type knownState struct {
	at     Instant
	status string
}

// podFolds are those of a picture, by the pods' UIDs, or by the name of a pod
// whose UID is not known.
type podFolds map[string]*podFold

// of is what is kept of a pod.
func (all podFolds) of(o collectors.Object) *podFold {
	key := cmp.Or(o.UID, o.Name)
	if all[key] == nil {
		all[key] = &podFold{ready: map[string][]hint{}, known: map[string]knownState{}}
	}
	return all[key]
}

// add notes what changed of a pod.
func (all podFolds) add(r collectors.Record, at Instant, cleaner *Cleaner) {
	now, p := r.Pod, all.of(r.Object)
	change := StatusChange{Instant: at, Status: now.Status, Ready: now.Ready, Phase: now.Phase}
	if n := len(p.statuses); n == 0 || p.statuses[n-1].Status != now.Status || p.statuses[n-1].Ready != now.Ready || p.statuses[n-1].Phase != now.Phase {
		p.statuses = append(p.statuses, change)
	}
	p.conditions.add(at, now.Conditions)
	if _, told := p.known[now.ResourceVersion]; !told {
		p.known[now.ResourceVersion] = knownState{at, now.Status}
	}
	p.snapshots.state(at, cleaned(cleaner, *now))
	for _, c := range now.Containers {
		if !c.Ready || c.State != "running" { // an init container that ended well is called ready too
			continue
		}
		id := c.ID
		if c.Current != nil {
			id = cmp.Or(c.Current.ID, c.ID)
		}
		if !slices.ContainsFunc(p.ready[c.Name], func(h hint) bool { return h.text == id }) {
			p.ready[c.Name] = append(p.ready[c.Name], hint{at, id})
		}
	}
}

// pictures are the pods of a timeline with what is kept of them.
func (all podFolds) pictures(states []*collectors.PodState, on *axis) []PodPicture {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.Object.Name
	}
	var pods []PodPicture
	for i, title := range PodTitles(names) {
		s := states[i]
		f, now := all.of(s.Object), s.Pod()
		pod := PodPicture{
			Name: s.Object.Name, Title: title, UID: s.Object.UID, Node: now.Node, QOS: now.QOS,
			CreatedAt: on.at(s.CreatedAt), DeletedAt: on.at(s.DeletedAt), GoneAt: on.at(s.GoneAt),
			Statuses: f.statuses, Conditions: f.conditions.changes, Snapshots: f.snapshots.all(),
		}
		for _, c := range s.Containers {
			pod.Containers = append(pod.Containers, f.container(c, on))
		}
		pods = append(pods, pod)
	}
	return pods
}

func (f *podFold) container(c *collectors.ContainerState, on *axis) ContainerPicture {
	out := ContainerPicture{Name: c.Name, Kind: c.Kind, Image: c.Image}
	for _, r := range c.Runs {
		out.Runs = append(out.Runs, RunPicture{
			StartedAt: on.at(r.StartedAt), FinishedAt: on.at(r.FinishedAt),
			Exited: r.Exited, ExitCode: r.ExitCode, Signal: r.Signal, Reason: r.Reason, OOM: r.OOM,
		})
	}
	for _, h := range f.ready[c.Name] {
		i := slices.IndexFunc(c.Runs, func(r collectors.RunState) bool { return r.ID == h.text })
		if i < 0 {
			i = runAt(out.Runs, h.at)
		}
		if i >= 0 && out.Runs[i].ReadyAt == nil {
			out.Runs[i].ReadyAt = &h.at
		}
	}
	for _, h := range f.killings {
		if killed(h.text) != c.Name {
			continue
		}
		if i := runAt(out.Runs, h.at); i >= 0 && out.Runs[i].KillingAt == nil {
			out.Runs[i].KillingAt = &h.at
		}
	}
	return out
}

// runAt is the newest run that had begun by an instant, as far as that is
// known; -1 if none had.
func runAt(runs []RunPicture, at Instant) int {
	for i, r := range slices.Backward(runs) {
		if r.StartedAt != nil && r.StartedAt.At <= at.At+at.Precision.Seconds() {
			return i
		}
	}
	return -1
}

// killed is the container that the message of a Killing event names, such as
// "Stopping container web" or "Container web failed liveness probe, will be
// restarted".
func killed(message string) string {
	match := regexp.MustCompile(`(?i)\bcontainer ([a-z0-9][a-z0-9-]*)`).FindStringSubmatch(message)
	if match == nil {
		return ""
	}
	return match[1]
}
