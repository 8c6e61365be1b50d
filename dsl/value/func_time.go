package value

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// seconds is the length of a duration such as "90s".
func seconds() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "duration", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			d, err := time.ParseDuration(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "%q is not a duration such as \"90s\", \"1m30s\" or \"500ms\"", args[0].AsString())
			}
			return timeValue(Time{Seconds: d.Seconds()}), nil
		},
	})
}

// precision is the maximum error of a time, in seconds.
func precision() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "time", Type: cty.Number, AllowUnknown: true, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f, marks := fuzzOf(args[0]), otherMarks(args[0])
			if !args[0].IsKnown() {
				return cty.UnknownVal(cty.Number).WithMarks(marks), nil
			}
			off := max(f.below, f.above, 1e-9)
			return cty.NumberFloatVal(off).WithMarks(marks), nil
		},
	})
}

// ordered says whether each time of a list is before the next.
func ordered() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "times", Type: cty.List(cty.Number), AllowUnknown: true, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			marks := otherMarks(args[0])
			list, _ := args[0].Unmark()
			if !list.IsKnown() {
				return unknownBool().WithMarks(marks), nil
			}
			result, err := inOrder(list.AsValueSlice())
			if result.HasMark(imprecise) && (!isKnown(list) || slices.ContainsFunc(list.AsValueSlice(), isNull)) {
				result, _ = result.Unmark()
				result = result.Mark(partly)
			}
			return result.WithMarks(marks), err
		},
	})
}

func isNull(v cty.Value) bool { return v.IsNull() }

// inOrder compares every time with every later one: an unknown time must not hide
// that the times around it are out of order.
func inOrder(times []cty.Value) (cty.Value, error) {
	for j := range times {
		if plain, _ := times[j].Unmark(); plain.IsNull() && !times[j].HasMark(missing) {
			return cty.UnknownVal(cty.Bool), function.NewArgErrorf(0, "element %d is null: the time is known not to exist", j+1)
		}
	}
	result := cty.True
	for j := range times {
		for i := range j {
			before := before(times[i], times[j])
			if before.RawEquals(cty.False) {
				return cty.False, nil
			}
			if !before.IsKnown() && (i == j-1 || before.HasMark(imprecise)) {
				result = unknownBool().WithMarks(result.Marks(), before.Marks())
			}
		}
	}
	return result, nil
}

// before is a < b for two numbers that may be unknown. It is unknown if one is
// null, and if their precision does not show the order, which is marked.
func before(a, b cty.Value) cty.Value {
	f, g := fuzzOf(a), fuzzOf(b)
	a, _ = a.Unmark()
	b, _ = b.Unmark()
	if !a.IsKnown() || !b.IsKnown() || a.IsNull() || b.IsNull() {
		return unknownBool()
	}
	c, certain := order(a, f, b, g)
	if !certain {
		return unknownBool().Mark(imprecise)
	}
	return cty.BoolVal(c < 0)
}

// overlaps says whether two containers ran at the same time.
func overlaps() function.Function {
	param := function.Parameter{Name: "a", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true}
	other := param
	other.Name = "b"
	return function.New(&function.Spec{
		Params: []function.Parameter{param, other},
		Type:   containers(cty.Bool, 2),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			marks, result := lifeMarks(args...), cty.False
			if len(marks) != len(withoutIncomplete(marks)) {
				result = unknownBool() // another run may have overlapped
			}
			for _, a := range runsOf(args[0]) {
				for _, b := range runsOf(args[1]) {
					switch both := a.overlaps(b); {
					case !both.IsKnown():
						result = unknownBool().WithMarks(result.Marks(), both.Marks())
					case both.True():
						return cty.True.WithMarks(withoutIncomplete(marks)), nil
					}
				}
			}
			return result.WithMarks(asBlind(marks)), nil
		},
	})
}

// span is the time of one run of a container. Its end is null if the run had not
// terminated at the last observation.
type span struct{ start, end cty.Value }

// lifeMarks are the marks of the history of containers' runs.
func lifeMarks(containers ...cty.Value) cty.ValueMarks {
	all := cty.ValueMarks{}
	add := func(marks cty.ValueMarks) {
		for m := range marks {
			if _, is := m.(fuzz); !is {
				all[m] = struct{}{}
			}
		}
	}
	for _, c := range containers {
		c, marks := c.Unmark()
		add(marks)
		if !c.IsKnown() || c.IsNull() || !c.Type().IsObjectType() {
			continue
		}
		for _, name := range []string{"runs", "started_at", "finished_at", "state"} {
			add(c.GetAttr(name).Marks())
		}
	}
	return all
}

// runsOf returns the runs of a container. If none was observed, it returns one
// run about which nothing is known.
func runsOf(container cty.Value) []span {
	container, _ = container.Unmark()
	unknown := span{cty.UnknownVal(cty.Number), cty.UnknownVal(cty.Number)}
	if !container.IsKnown() {
		return []span{unknown}
	}
	var spans []span
	if runs, _ := container.GetAttr("runs").Unmark(); runs.IsKnown() && !runs.IsNull() {
		for _, run := range runs.AsValueSlice() {
			run, _ = run.Unmark()
			if run.IsKnown() && !run.IsNull() {
				spans = append(spans, span{run.GetAttr("started_at"), run.GetAttr("finished_at")})
			}
		}
	}
	if len(spans) == 0 {
		spans = append(spans, span{container.GetAttr("started_at"), container.GetAttr("finished_at")})
	}
	last := &spans[len(spans)-1]
	state, _ := container.GetAttr("state").Unmark()
	if end, _ := last.end.Unmark(); !end.IsKnown() && state.IsKnown() && !state.IsNull() && state.AsString() == "running" {
		last.end = cty.NullVal(cty.Number)
	}
	return spans
}

// overlaps says whether two runs had a moment in common.
func (s span) overlaps(t span) cty.Value {
	return and(s.beginsBeforeEndOf(t), t.beginsBeforeEndOf(s))
}

func (s span) beginsBeforeEndOf(t span) cty.Value {
	start, _ := s.start.Unmark()
	end, _ := t.end.Unmark()
	switch {
	case start.IsKnown() && start.IsNull():
		return cty.False // it never ran
	case end.IsKnown() && end.IsNull():
		if start.IsKnown() {
			return cty.True
		}
		return unknownBool()
	}
	if begins := before(s.start, t.end); begins.IsKnown() || end.IsKnown() {
		return begins
	}
	// The end is not known, but it is not before its own beginning.
	if own, _ := t.start.Unmark(); own.IsKnown() && !own.IsNull() {
		if before(s.start, t.start).RawEquals(cty.True) {
			return cty.True
		}
	}
	return unknownBool()
}

func and(a, b cty.Value) cty.Value {
	switch {
	case a.IsKnown() && a.False(), b.IsKnown() && b.False():
		return cty.False
	case a.IsKnown() && b.IsKnown():
		return cty.True
	default:
		return unknownBool().WithMarks(a.Marks(), b.Marks())
	}
}

// containers checks that the first n arguments are containers.
func containers(result cty.Type, n int) function.TypeFunc {
	return func(args []cty.Value) (cty.Type, error) {
		container := newSchema().container
		for i := range n {
			if ty := args[i].Type(); ty != cty.DynamicPseudoType && !ty.Equals(container) {
				return result, function.NewArgErrorf(i, "a container is required, such as pod.NAME.container[\"main\"], not %s", article(ty))
			}
		}
		return result, nil
	}
}

// logged says whether a line of a container's log matches a pattern.
func logged() function.Function {
	return logFunction(cty.Bool, func(m logMark, pattern *regexp.Regexp) cty.Value {
		_, found, lacks := m.find(pattern)
		switch {
		case found:
			return cty.True
		case lacks != "":
			return unknownBool().Mark(blind{lacks})
		case !m.container.hasRun() && m.container.StartedAt.State != Absent:
			return m.notStarted()
		}
		return cty.False
	})
}

// logTime is the time at which a container first logged a line that matches a
// pattern. It is unknown until then, and if an earlier line may be missing.
func logTime() function.Function {
	return logFunction(cty.Number, func(m logMark, pattern *regexp.Regexp) cty.Value {
		line, found, lacks := m.find(pattern)
		switch {
		case lacks != "":
			return cty.UnknownVal(cty.Number).Mark(blind{lacks})
		case found:
			return timeValue(line.At)
		}
		return cty.UnknownVal(cty.Number)
	})
}

// find is the first line that matches, and why an earlier one may be missing. If
// no line matches, it says why one may be missing.
func (m logMark) find(pattern *regexp.Regexp) (line Line, found bool, lacks string) {
	if m.container.Log == nil {
		return Line{}, false, ""
	}
	line, found = m.container.Log.First(pattern)
	return line, found, m.container.Log.Lacks(pattern)
}

// notStarted is unknown, as a container that is not known to have started may
// still log. If its start may have been missed, that is the reason.
func (m logMark) notStarted() cty.Value {
	v := unknownBool().Mark(m.life())
	if why := cmp.Or(m.container.Blind, m.container.EndBlind, m.container.RunsLack); why != "" {
		v = v.Mark(blind{why})
	}
	return v
}

func (m logMark) life() Read {
	return Read{Stream: LifeStream, Name: m.pod, Container: m.container.Name}
}

// hasRun says whether a container is known to have started.
func (c *Container) hasRun() bool { return len(c.Runs) > 0 || c.StartedAt.State == Known }

// logFunction makes a function of a container's log and a pattern.
func logFunction(ty cty.Type, result func(logMark, *regexp.Regexp) cty.Value) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "container", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
			{Name: "pattern", Type: cty.String, AllowUnknown: true},
		},
		Type: containers(ty, 1),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			container, marks := args[0].Unmark()
			if !args[1].IsKnown() {
				return cty.UnknownVal(ty).WithMarks(marks), nil
			}
			pattern, err := regexp.Compile(args[1].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(1, "not a regular expression: %s", err)
			}
			if !container.IsKnown() {
				return cty.UnknownVal(ty).WithMarks(marks), nil
			}
			m, ok := logOf(container.GetAttr("log"))
			if !ok {
				return cty.UnknownVal(ty).WithMarks(marks), nil
			}
			return result(m, pattern).WithMarks(marks, cty.NewValueMarks(m.read(pattern.String()))), nil
		},
	})
}
