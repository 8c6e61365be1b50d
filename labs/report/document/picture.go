package document

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// PictureBuilder folds the records of one scenario on one cluster into a
// Picture.
type PictureBuilder struct {
	scenario, cluster string
	axis
	timeline *collectors.Timeline
	cleaner  *Cleaner
	pods     podFolds
	events   []EventPicture
	eventOf  map[eventKey]int
	objects  []*objectFold
	lines    lineFold
}

// eventKey identifies a Kubernetes event; one that is reported again has the same key.
type eventKey struct {
	object          collectors.Object
	reason, message string
	first           time.Time
}

// NewPictureBuilder begins the picture of a scenario on a cluster whose times
// count from begin. The texts of log lines are cleaned; share is what the lines
// of one container may cost, as LineTally.Share gives it.
func NewPictureBuilder(scenario, cluster string, begin time.Time, share int, cleaner *Cleaner) *PictureBuilder {
	return &PictureBuilder{
		scenario: scenario, cluster: cluster, axis: axis{begin: begin}, timeline: collectors.NewTimeline(begin), cleaner: cleaner,
		pods: podFolds{}, eventOf: map[eventKey]int{}, lines: newLineFold(share),
	}
}

// Add folds a record. Records are added in the order of their arrival.
func (b *PictureBuilder) Add(r collectors.Record) {
	switch {
	case r.Type == collectors.TypeLog:
		if r.Log != nil {
			b.lines.add(newLine(r, b.begin, b.cleaner))
		}
		return
	case r.Type == collectors.TypeEvent && r.Event != nil:
		b.event(r)
	case r.Job != nil || r.Type == collectors.TypeJobGone:
		b.object(r, jobConditions(r))
	case r.Content != nil:
		b.object(r, contentConditions(r.Content.JSON))
	case r.Pod != nil:
		b.pods.add(r, b.when(r), b.cleaner)
	case r.Step != nil:
		b.see(r.Time)
	}
	b.timeline.Add(r)
}

// event notes an event; one that was reported before changes only its count.
func (b *PictureBuilder) event(r collectors.Record) {
	e := r.Event
	key := eventKey{r.Object, e.Reason, e.Message, e.FirstAt}
	if i, told := b.eventOf[key]; told {
		b.events[i].Count = max(b.events[i].Count, e.Count)
		return
	}
	b.eventOf[key] = len(b.events)
	at := eventTime(r)
	b.events = append(b.events, EventPicture{
		Instant: Instant{At: b.see(at), Source: string(r.Source), Precision: time.Second},
		Type:    e.EventType, Reason: e.Reason, Object: r.Object.Kind + "/" + r.Object.Name, Message: e.Message, Count: e.Count,
	})
	if e.Reason == "Killing" && r.Object.Kind == "Pod" {
		p := b.pods.of(r.Object)
		p.killings = append(p.killings, hint{at: b.events[len(b.events)-1].Instant, text: e.Message})
	}
}

// eventTime is when an event was: it says its second alone, so the moment of
// its receipt where that is in the same, which is closer.
func eventTime(r collectors.Record) time.Time {
	first := r.Event.FirstAt
	if first.IsZero() || !r.Time.Before(first) && r.Time.Sub(first) < time.Second {
		return r.Time
	}
	return first
}

// object notes what changed of an object that is no pod.
func (b *PictureBuilder) object(r collectors.Record, conditions map[string]string) {
	i := slices.IndexFunc(b.objects, func(o *objectFold) bool { return o.of == r.Object })
	if i < 0 {
		i = len(b.objects)
		b.objects = append(b.objects, &objectFold{of: r.Object})
	}
	o := b.objects[i]
	at := b.when(r)
	if r.Type == collectors.TypeJobGone || r.Type == collectors.TypeObjectGone {
		if o.gone == nil {
			o.gone = &at
		}
		return
	}
	o.conditions.add(at, conditions)
}

// Snapshot adds a state of a pod as the API sent it. One whose resource version
// no record of that pod has is left out; snapshots of a pod are added in their
// order.
func (b *PictureBuilder) Snapshot(uid, resourceVersion, yaml string) {
	p := b.pods[uid]
	if p == nil {
		return
	}
	if of, told := p.known[resourceVersion]; told {
		p.snapshots.file(Snapshot{Instant: of.at, Title: of.status, YAML: yaml})
	}
}

// Picture is what was folded. The builder must not be used any more.
func (b *PictureBuilder) Picture() Picture {
	p := Picture{Scenario: b.scenario, Cluster: b.cluster, Pods: b.pods.pictures(b.timeline.Pods(), &b.axis)}
	for _, o := range b.objects {
		p.Objects = append(p.Objects, ObjectPicture{Kind: o.of.Kind, Name: o.of.Name, Conditions: o.conditions.changes, GoneAt: o.gone})
	}
	slices.SortStableFunc(b.events, func(x, y EventPicture) int { return cmp.Compare(x.At, y.At) })
	p.Events = b.events
	p.Lines, p.OmittedLines = b.lines.picture(p.Pods)
	if n := len(p.Lines); n > 0 {
		b.seconds = max(b.seconds, p.Lines[n-1].At)
	}
	p.Gaps = b.gaps()
	p.Seconds = b.seconds
	return p
}

// gaps are the stretches that were not seen; one that goes on does so to the
// end of the axis.
func (b *PictureBuilder) gaps() []GapPicture {
	told := b.timeline.Gaps()
	for _, r := range told {
		b.see(r.Gap.From)
		b.see(r.Gap.To)
	}
	var gaps []GapPicture
	for _, r := range told {
		g := GapPicture{
			From: max(0, r.Gap.From.Sub(b.begin).Seconds()), To: b.seconds, Source: string(r.Source), Reason: r.Gap.Reason, Lost: r.Gap.Count,
			Container: r.Container, Object: strings.Trim(r.Object.Kind+"/"+r.Object.Name, "/"),
		}
		if !r.Gap.To.IsZero() {
			g.To = max(g.From, r.Gap.To.Sub(b.begin).Seconds())
		}
		gaps = append(gaps, g)
	}
	slices.SortStableFunc(gaps, func(x, y GapPicture) int { return cmp.Compare(x.From, y.From) })
	return gaps
}
