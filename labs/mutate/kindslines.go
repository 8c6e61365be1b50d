package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// longestQuoted bounds what a sentence quotes, in runes.
const longestQuoted = 60

// quoted is a text as a sentence quotes it.
func quoted(text string) string {
	if all := []rune(text); len(all) > longestQuoted {
		text = string(all[:longestQuoted]) + "…"
	}
	return strconv.Quote(text)
}

// eachLine calls f for every line of a container that belongs to a run.
func (h *history) eachLine(f func(p *pod, c *container, l *life, i int)) {
	h.eachLife(func(p *pod, c *container, _ int, l *life) {
		for _, i := range l.lines {
			f(p, c, l, i)
		}
	})
}

func lineMissing(at *place) (found []change) {
	at.eachLine(func(p *pod, c *container, _ *life, i int) {
		found = append(found, change{fmt.Sprintf("%s does not write %s", p.name(c), quoted(at.records[i].Log.Text)), func(d *draft) { d.remove(i) }})
	})
	for _, p := range at.pods {
		for _, c := range p.containers {
			found = append(found, at.neverWritten(p, c)...)
			if at.lineCount(c) > 1 {
				found = append(found, change{p.name(c) + " writes nothing", func(d *draft) {
					for _, l := range c.runs {
						d.removeAll(l.lines)
					}
				}})
			}
		}
	}
	return found
}

// neverWritten takes away every line of a text that a container writes more than
// once.
func (at *place) neverWritten(p *pod, c *container) (found []change) {
	same := map[string][]int{}
	var texts []string
	for _, l := range c.runs {
		for _, i := range l.lines {
			text := at.records[i].Log.Text
			same[text], texts = append(same[text], i), appendNew(texts, text)
		}
	}
	for _, text := range texts {
		if lines := same[text]; len(lines) > 1 {
			found = append(found, change{fmt.Sprintf("%s never writes %s", p.name(c), quoted(text)), func(d *draft) { d.removeAll(lines) }})
		}
	}
	return found
}

func (h *history) lineCount(c *container) int {
	n := 0
	for _, l := range c.runs {
		n += len(l.lines)
	}
	return n
}

func lineMoved(at *place) (found []change) {
	at.eachLine(func(p *pod, c *container, l *life, i int) {
		text, written := quoted(at.records[i].Log.Text), at.records[i].Time
		move := func(by time.Duration, when string) {
			found = append(found, change{fmt.Sprintf("%s writes %s %s", p.name(c), text, when), func(d *draft) { d.move(i, by, time.Time{}) }})
		}
		for _, by := range bothWays() {
			move(by, sooner(by))
		}
		if by := l.began.Add(10 * tick).Sub(written); !l.began.IsZero() && by < -tick {
			move(by, "right after its start")
		}
		if by := l.ended.Add(-10 * tick).Sub(written); !l.ended.IsZero() && by > tick {
			move(by, "just before its end")
		}
		if at.isSpoken(p, c, i) {
			at.past(p, c, written, move)
		}
	})
	return found
}

// lineMore lets a container write a line again, or one that a container of that
// name wrote elsewhere in the recording, in the middle of a run.
func lineMore(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.began.IsZero() {
			return
		}
		when := l.began.Add(time.Second)
		if !l.ended.IsZero() {
			when = l.began.Add(l.ended.Sub(l.began) / 2)
		}
		for _, text := range at.others.lines[c.name] {
			found = append(found, change{fmt.Sprintf("%s writes %s once more", p.run(c, n), quoted(text)), func(d *draft) {
				d.add(collectors.Record{Time: when, Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog, Object: p.object,
					Container: c.name, Log: &collectors.Log{Run: n, Stream: "stdout", Text: text}}, when.Add(lag))
			}})
		}
	})
	return found
}

func eventMissing(at *place) (found []change) {
	var told []string
	for i := range at.records {
		r := &at.records[i]
		if r.Event == nil {
			continue
		}
		text := fmt.Sprintf("no event %s of %s %s: %s", r.Event.Reason, r.Object.Kind, r.Object.Name, quoted(r.Event.Message))
		if slices.Contains(told, text) {
			continue
		}
		told = append(told, text)
		e := r.Event
		found = append(found, change{text, func(d *draft) {
			d.removeEvents(func(x *collectors.Event) bool { return x.Reason == e.Reason && x.Message == e.Message })
		}})
		if reason := fmt.Sprintf("no event %s at all", e.Reason); !slices.Contains(told, reason) {
			told = append(told, reason)
			found = append(found, change{reason, func(d *draft) {
				d.removeEvents(func(x *collectors.Event) bool { return x.Reason == e.Reason })
			}})
		}
	}
	return found
}

func (d *draft) removeEvents(which func(*collectors.Event) bool) {
	for i := range d.entries {
		if e := d.entries[i].record.Event; e != nil && which(e) {
			d.remove(i)
		}
	}
}

// eventMore adds events that pods of that name have in other runs only, a second
// after the pod was seen.
func eventMore(at *place) (found []change) {
	for _, p := range at.pods {
		if len(p.records) == 0 {
			continue
		}
		for _, e := range at.others.events[p.object.Name] {
			has := slices.ContainsFunc(at.records, func(r collectors.Record) bool {
				return r.Event != nil && r.Event.Reason == e.Event.Reason && r.Event.Message == e.Event.Message
			})
			if has {
				continue
			}
			when := at.arrivals[p.records[0]].Add(time.Second)
			text := fmt.Sprintf("an event %s of %s as in another run: %s", e.Event.Reason, p.object.Name, quoted(e.Event.Message))
			found = append(found, change{text, func(d *draft) {
				r, event := e, *e.Event
				event.FirstAt, event.LastAt = when.Truncate(time.Second), when.Truncate(time.Second)
				r.Object, r.Event, r.Time = p.object, &event, when
				d.add(r, when)
			}})
		}
	}
	return found
}
