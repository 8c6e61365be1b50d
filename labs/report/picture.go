package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// PictureBuilder folds the records of one scenario on one cluster into a
// Picture.
type PictureBuilder struct {
	scenario, cluster string
	begin             time.Time
	timeline          *collectors.Timeline
	cleaner           *Cleaner
	pods              map[string]*podFold
	events            []EventPicture
	eventOf           map[eventKey]int
	objects           []*objectFold
	lines             lineFold
	seconds           float64
}

// eventKey tells Kubernetes events apart; one that is told again has the same.
type eventKey struct {
	object          collectors.Object
	reason, message string
	first           time.Time
}

// objectFold is an object other than a pod.
type objectFold struct {
	of         collectors.Object
	conditions conditionFold
	gone       *Instant
}

// NewPictureBuilder begins the picture of a scenario on a cluster whose times
// count from begin. The texts of log lines are cleaned; share is what the lines
// of one container may cost, as LineTally.Share gives it.
func NewPictureBuilder(scenario, cluster string, begin time.Time, share int, cleaner *Cleaner) *PictureBuilder {
	return &PictureBuilder{
		scenario: scenario, cluster: cluster, begin: begin, timeline: collectors.NewTimeline(begin), cleaner: cleaner,
		pods: map[string]*podFold{}, eventOf: map[eventKey]int{}, lines: newLineFold(share),
	}
}

// Add folds a record. Records are added in the order of their arrival.
func (b *PictureBuilder) Add(r collectors.Record) {
	switch {
	case r.Type == collectors.TypeLog:
		if r.Log != nil {
			b.lines.add(b.line(r))
		}
		return
	case r.Type == collectors.TypeEvent && r.Event != nil:
		b.event(r)
	case r.Job != nil || r.Type == collectors.TypeJobGone:
		b.object(r, jobConditions(r))
	case r.Content != nil:
		b.object(r, contentConditions(r.Content.JSON))
	case r.Pod != nil || r.Type == collectors.TypePodGone:
		b.pod(r)
	case r.Step != nil:
		b.see(r.Time)
	}
	b.timeline.Add(r)
}

// see makes the axis reach as far as a time, and returns where it is on it.
func (b *PictureBuilder) see(at time.Time) float64 {
	seconds := at.Sub(b.begin).Seconds()
	b.seconds = max(b.seconds, seconds)
	return seconds
}

// at is a moment on the axis; nil where it is not known.
func (b *PictureBuilder) at(m collectors.Moment) *Instant {
	if !m.Known() {
		return nil
	}
	return &Instant{At: b.see(m.Time), Source: string(m.Source), Precision: m.Precision}
}

// when is a record's own time on the axis.
func (b *PictureBuilder) when(r collectors.Record) Instant {
	return Instant{At: b.see(r.Time), Source: string(r.Source), Precision: r.Precision}
}

// event notes an event; one that was told before changes its count alone.
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
		p := b.fold(r.Object)
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

func jobConditions(r collectors.Record) map[string]string {
	if r.Job == nil {
		return nil
	}
	return r.Job.Conditions
}

// contentConditions are an object's conditions, where it has such as most
// kinds have.
func contentConditions(content json.RawMessage) map[string]string {
	var object struct {
		Status struct {
			Conditions []struct {
				Type, Status string
			}
		}
	}
	if len(content) == 0 || json.Unmarshal(content, &object) != nil {
		return nil
	}
	all := map[string]string{}
	for _, c := range object.Status.Conditions {
		all[c.Type] = c.Status
	}
	return all
}

// conditionFold are the changes of an object's conditions.
type conditionFold struct {
	now     map[string]string
	changes []ConditionChange
}

func (f *conditionFold) add(at Instant, conditions map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if f.now[name] != conditions[name] {
			f.changes = append(f.changes, ConditionChange{Instant: at, Type: name, Status: conditions[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.now)) {
		if _, there := conditions[name]; !there {
			f.changes = append(f.changes, ConditionChange{Instant: at, Type: name})
		}
	}
	f.now = conditions
}

// Picture is what was folded. The builder must not be used any more.
func (b *PictureBuilder) Picture() Picture {
	p := Picture{Scenario: b.scenario, Cluster: b.cluster, Pods: b.podPictures()}
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
