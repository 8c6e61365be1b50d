package mutate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// otherRejection is a reason for which any request may be rejected.
const otherRejection = "admission webhook \"policy.example.com\" denied the request: not allowed here"

// eachStep calls f for the steps that did something.
func eachStep(records []collectors.Record, f func(i int, s *collectors.Step)) {
	for i := range records {
		if r := &records[i]; r.Type == collectors.TypeStep && r.Step != nil && acting(r.Step.Verb) {
			f(i, r.Step)
		}
	}
}

// setStep changes the record of a step.
func (d *draft) setStep(i int, change func(*collectors.Step)) {
	s := *d.h.records[i].Step
	change(&s)
	d.entries[i].record.Step = &s
}

func stepName(s *collectors.Step) string { return fmt.Sprintf("%s %s", s.Verb, quoted(s.Name)) }

func rejectionMissing(at *place) (found []change) {
	eachStep(at.records, func(i int, s *collectors.Step) {
		if s.Error != "" {
			found = append(found, change{stepName(s) + " is accepted", func(d *draft) { d.setStep(i, func(s *collectors.Step) { s.Error = "" }) }})
		}
	})
	return found
}

func rejectionOther(at *place) (found []change) {
	eachStep(at.records, func(i int, s *collectors.Step) {
		if s.Error != "" {
			found = append(found, change{stepName(s) + " is rejected for another reason", func(d *draft) {
				d.setStep(i, func(s *collectors.Step) { s.Error = otherRejection })
			}})
			if numbers.MatchString(s.Error) {
				found = append(found, change{stepName(s) + " is rejected with other numbers", func(d *draft) {
					d.setStep(i, func(s *collectors.Step) { s.Error = numbers.ReplaceAllStringFunc(s.Error, otherNumber) })
				}})
			}
		}
	})
	return found
}

var numbers = regexp.MustCompile(`[0-9]+`)

func otherNumber(text string) string {
	n, err := strconv.Atoi(text)
	if err != nil {
		return "1"
	}
	return strconv.Itoa(n + 1)
}

func rejectionMore(at *place) (found []change) {
	eachStep(at.records, func(i int, s *collectors.Step) {
		if s.Error == "" && len(s.Objects) > 0 {
			found = append(found, change{stepName(s) + " is rejected", func(d *draft) {
				d.setStep(i, func(s *collectors.Step) { s.Error = otherRejection })
				for _, o := range s.Objects {
					if made(at.records, s, o.UID) {
						d.removeAbout(o.UID)
					}
				}
			}})
		}
	})
	return found
}

// made says whether an object is there because of a step: nothing is recorded of it
// before the step began.
func made(records []collectors.Record, s *collectors.Step, uid string) bool {
	return !slices.ContainsFunc(records, func(r collectors.Record) bool {
		return r.Object.UID == uid && r.Received.Before(s.StartedAt)
	})
}

func warning(at *place) (found []change) {
	const other = "unknown field \"spec.other\""
	eachStep(at.records, func(i int, s *collectors.Step) {
		if len(s.Objects) == 0 || s.Error != "" {
			return
		}
		for n, text := range s.Warnings {
			found = append(found, change{fmt.Sprintf("%s gets no warning %s", stepName(s), quoted(text)), func(d *draft) {
				d.setStep(i, func(s *collectors.Step) {
					s.Warnings = append(append([]string{}, s.Warnings[:n]...), s.Warnings[n+1:]...)
				})
			}})
		}
		found = append(found, change{stepName(s) + " gets another warning", func(d *draft) {
			d.setStep(i, func(s *collectors.Step) { s.Warnings = []string{other} })
		}})
	})
	return found
}

func output(at *place) (found []change) {
	eachStep(at.records, func(i int, s *collectors.Step) {
		if s.ExitCode == nil {
			return
		}
		set := func(text string, change1 func(*collectors.Step)) {
			found = append(found, change{stepName(s) + " " + text, func(d *draft) { d.setStep(i, change1) }})
		}
		set("ends with another exit code", func(s *collectors.Step) {
			code := 1
			if *s.ExitCode != 0 {
				code = 0
			}
			s.ExitCode = &code
		})
		set("writes something else", func(s *collectors.Step) { s.Stdout = "something else\n" })
		if s.Stdout != "" {
			set("writes nothing", func(s *collectors.Step) { s.Stdout, s.Stderr = "", "" })
		}
	})
	return found
}

func objectMissing(at *place) (found []change) {
	for _, o := range at.objects(collectors.TypeObject) {
		found = append(found, change{fmt.Sprintf("the %s %s is never seen", o.Kind, o.Name), func(d *draft) { d.removeAbout(o.UID) }})
	}
	return found
}

// setField gives a field of an object another value in all of its states, or
// takes it away.
func (d *draft) setField(o collectors.Object, path string, away bool) {
	for i := range d.h.records {
		r := &d.entries[i].record
		if r.Object != o || r.Content == nil {
			continue
		}
		document := decoded(r.Content.JSON)
		if document == nil || !setLeaf(document, strings.Split(path[1:], "/"), away) {
			continue
		}
		text, err := json.Marshal(document)
		if err != nil {
			continue // as it was decoded, it can be encoded
		}
		content := *r.Content
		content.JSON = text
		r.Content = &content
	}
}

// setLeaf changes the value at a path, if there is one.
func setLeaf(at any, path []string, away bool) bool {
	key := path[0]
	switch at := at.(type) {
	case map[string]any:
		below, has := at[key]
		switch {
		case !has:
			return false
		case len(path) > 1:
			return setLeaf(below, path[1:], away)
		case away:
			delete(at, key)
		default:
			at[key] = otherValue(below)
		}
		return true
	case []any:
		n := index(key, len(at))
		switch {
		case n < 0:
			return false
		case len(path) > 1:
			return setLeaf(at[n], path[1:], away)
		case away:
			at[n] = nil
		default:
			at[n] = otherValue(at[n])
		}
		return true
	}
	return false
}

// index is the place in a list that a part of a path names; -1 if there is none.
func index(key string, length int) int {
	n := 0
	if _, err := fmt.Sscanf(key, "%d", &n); err != nil || n < 0 || n >= length {
		return -1
	}
	return n
}

// otherSuffix is what is added to a text for another one.
const otherSuffix = "-other"

// otherValue is another value of the same type.
func otherValue(v any) any {
	switch v := v.(type) {
	case string:
		return v + otherSuffix
	case float64:
		return v + 1
	case bool:
		return !v
	}
	return "other"
}
