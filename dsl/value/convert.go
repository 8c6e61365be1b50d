package value

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// converter makes cty values of what was observed.
type converter struct {
	*schema
	// e is what the values are made for; nil if nobody asks what they were read
	// from.
	e *evaluation
	// logs says whether logs are at hand; they are unknown otherwise, since
	// they may be long.
	logs bool
	// keys are the conditions that are asked for by name: unknown rather than
	// missing if they were not observed.
	keys map[string]bool
	// jobs are the attributes of Jobs that are asked for, by name; nil for a
	// Job of which all may be.
	jobs map[string]map[string]bool
	// cache may be nil.
	cache *Cache
}

// asksFor says whether an attribute of a Job is asked for.
func (c *converter) asksFor(job, attr string) bool {
	attrs := c.jobs[job]
	return attrs == nil || attrs[attr]
}

// jobAttributes are the attributes of Jobs that references ask for, by the
// Job's name. A Job of which one asks for everything is not among them.
func jobAttributes(refs []hcl.Traversal) map[string]map[string]bool {
	jobs, whole := map[string]map[string]bool{}, map[string]bool{}
	for _, ref := range refs {
		if ref.RootName() != "job" {
			continue
		}
		name, named := stepName(ref, 1)
		if !named {
			return nil
		}
		attr, ok := stepName(ref, 2)
		if !ok {
			whole[name] = true
			continue
		}
		if jobs[name] == nil {
			jobs[name] = map[string]bool{}
		}
		jobs[name][attr] = true
	}
	for name := range whole {
		delete(jobs, name)
	}
	return jobs
}

func (c *converter) object(s *Scope, root, name string) cty.Value {
	switch root {
	case "pod":
		p := s.Pods[name]
		c.e.touched.pod(name, p != nil)
		if p != nil {
			c.e.touched.cannotSee(p.Blind)
		} else {
			c.e.touched.cannotSee(s.Missed[PodStream])
		}
		if p == nil {
			return nowKnown(cty.UnknownVal(c.pod), s.Missed[PodStream], Read{Stream: PodStream, Name: name}, true)
		}
		return c.podValue(p)
	case "job":
		j := s.Jobs[name]
		c.e.touched.job(name, j != nil)
		if j != nil {
			c.e.touched.cannotSee(j.Blind)
			c.e.touched.cannotSee(j.PodsLack)
		} else {
			c.e.touched.cannotSee(s.Missed[JobStream])
		}
		if j == nil {
			return nowKnown(cty.UnknownVal(c.job), s.Missed[JobStream], Read{Stream: JobStream, Name: name}, true)
		}
		return c.jobValue(name, j)
	default:
		c.e.touched.other(StepStream, name, s.Steps[name] != nil)
		return c.stepValue(s.Steps[name])
	}
}

func (c *converter) podValue(p *Pod) cty.Value {
	if p.Absent {
		return cty.NullVal(c.pod).Mark(Read{Stream: PodStream, Name: p.Name})
	}
	if p.Blind != "" { // another one may have its name by now
		return nowKnown(cty.UnknownVal(c.pod), p.Blind, Read{Stream: PodStream, Name: p.Name}, true)
	}
	c.e.withheld = c.e.withheld || !c.logs
	if c.logs { // which grow
		return c.observedPod(p)
	}
	return c.cache.pod(podKey{p, c.logs, c.asked()}, func() cty.Value { return c.observedPod(p) })
}

// fixed is a value that does not change once it is known.
func fixed(v cty.Value, read Read) cty.Value {
	if v.IsKnown() && !v.IsNull() {
		return v
	}
	return v.Mark(read)
}

func (c *converter) observedPod(p *Pod) cty.Value {
	read := Read{Stream: PodStream, Name: p.Name}
	now := func(v cty.Value) cty.Value { return nowKnown(v, p.Blind, read, false) }
	order := func(names []string) cty.Value {
		return lacking(namesInOrder(names), p.OrderLacks, Read{Stream: LifeStream, Name: p.Name})
	}
	list, byName := c.containers(p)
	return cty.ObjectVal(map[string]cty.Value{
		"name": fixed(observed(p.Name), read), "uid": now(observed(p.UID)), // another pod may take the name
		"ip": now(opt(p.IP, cty.String, cty.StringVal)), "node": now(opt(p.Node, cty.String, cty.StringVal)),
		"phase": now(observed(p.Phase)), "status": now(observed(p.Status)), "statuses": lacking(texts(p.Statuses), p.StatusesLack, read),
		"ready": now(observed(p.Ready)), "reason": now(opt(p.Reason, cty.String, cty.StringVal)),
		"conditions": now(c.conditions(p.Conditions)),
		"container":  byName, "containers": list,
		"start_order": order(p.StartOrder), "exit_order": order(p.ExitOrder),
		"events":     lacking(c.eventList(p.Events), p.EventsLack, Read{Stream: EventStream, Name: p.Name}),
		"created_at": now(timeValue(p.CreatedAt)), "deleted_at": now(optTime(p.DeletedAt)), "gone_at": now(optTime(p.GoneAt)),
		"qos": now(observed(p.QOS)),
	})
}

// containers returns them as a list in order and as a map by name.
func (c *converter) containers(p *Pod) (cty.Value, cty.Value) {
	list, byName := make([]cty.Value, 0, len(p.Containers)), make(map[string]cty.Value, len(p.Containers))
	for _, one := range p.Containers {
		if one == nil {
			continue
		}
		v := c.containerValue(p, one)
		list = append(list, v)
		byName[one.Name] = v
	}
	if len(list) == 0 {
		return cty.ListValEmpty(c.container), cty.MapValEmpty(c.container)
	}
	return cty.ListVal(list), cty.MapVal(byName)
}

func (c *converter) containerValue(p *Pod, one *Container) cty.Value {
	runs := make([]cty.Value, 0, len(one.Runs))
	for _, r := range one.Runs {
		runs = append(runs, cty.ObjectVal(map[string]cty.Value{
			"started_at": optTime(r.StartedAt), "finished_at": optTime(r.FinishedAt),
			"exit_code": opt(r.ExitCode, cty.Number, number),
		}))
	}
	read := Read{Stream: LifeStream, Name: p.Name, Container: one.Name}
	now := func(v cty.Value) cty.Value { return nowKnown(v, one.Blind, read, false) }
	byWhom := read
	if one.ByRuntime {
		byWhom.Stream = RuntimeStream
	}
	run := func(v cty.Value) cty.Value { return nowKnown(v, one.EndBlind, byWhom, false) }
	return cty.ObjectVal(map[string]cty.Value{
		"name": fixed(observed(one.Name), read), "kind": fixed(observed(one.Kind), Read{Stream: PodStream, Name: p.Name}),
		"state": now(opt(one.State, cty.String, cty.StringVal)), "reason": now(opt(one.Reason, cty.String, cty.StringVal)),
		"ready": now(opt(one.Ready, cty.Bool, cty.BoolVal)), "started": now(opt(one.Started, cty.Bool, cty.BoolVal)),
		"restarts":   now(opt(one.Restarts, cty.Number, number)),
		"exit_code":  run(opt(one.ExitCode, cty.Number, number)),
		"signal":     run(opt(one.Signal, cty.Number, number)),
		"oom_killed": now(opt(one.OOMKilled, cty.Bool, cty.BoolVal)),
		"image":      nowKnown(observed(one.Image), p.Blind, Read{Stream: PodStream, Name: p.Name}, false),
		"started_at": run(optTime(one.StartedAt)), "finished_at": run(optTime(one.FinishedAt)),
		"ready_at": nowKnown(optTime(one.ReadyAt), one.ReadyBlind, Read{Stream: PodStream, Name: p.Name}, false),
		"runs":     lacking(listOf(runs, c.run), one.RunsLack, byWhom),
		"log":      c.logValue(logMark{one, p.Name, !c.logs}),
	})
}

// logValue is a container's log; unknown while it is not at hand.
func (c *converter) logValue(m logMark) cty.Value {
	if m.withheld {
		return cty.UnknownVal(c.log).Mark(m)
	}
	var kept []Line
	lacks := ""
	if m.container.Log != nil {
		kept, lacks = m.container.Log.Lines(), m.container.Log.Lacks(nil)
	}
	var text strings.Builder
	values := make([]cty.Value, 0, len(kept))
	for _, line := range kept {
		text.WriteString(line.Text)
		text.WriteString("\n")
		values = append(values, cty.ObjectVal(map[string]cty.Value{
			"at": timeValue(line.At), "text": cty.StringVal(line.Text),
		}))
	}
	read := m.read("")
	return cty.ObjectVal(map[string]cty.Value{
		"text": lacking(cty.StringVal(text.String()), lacks, read), "lines": lacking(listOf(values, c.line), lacks, read),
	}).Mark(m)
}

// jobValue leaves out, as unknown, pods that are not asked for: there may be
// many.
func (c *converter) jobValue(name string, j *Job) cty.Value {
	read := Read{Stream: JobStream, Name: name}
	if j.Absent {
		return cty.NullVal(c.job).Mark(read)
	}
	now := func(v cty.Value) cty.Value { return nowKnown(v, j.Blind, read, false) }
	ofPods := Read{Stream: PodStream, Job: name}
	pods, newest := cty.UnknownVal(cty.List(c.pod)), cty.UnknownVal(c.pod)
	if n := len(j.Pods); n > 0 && c.asksFor(name, "pod") {
		newest = c.podValue(j.Pods[n-1])
	}
	if c.asksFor(name, "pods") {
		all := make([]cty.Value, 0, len(j.Pods))
		for _, p := range j.Pods {
			all = append(all, c.podValue(p))
		}
		pods = listOf(all, c.pod)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": fixed(observed(j.Name), read), "complete": now(cty.BoolVal(j.Complete)), "failed": now(cty.BoolVal(j.Failed)),
		"active": now(number(j.Active)), "succeeded": now(number(j.Succeeded)), "failures": now(number(j.Failures)),
		"conditions": now(c.conditions(j.Conditions)),
		// Another Job may have taken the name, and have other pods.
		"pods": nowKnown(lacking(pods, j.PodsLack, ofPods), j.Blind, read, false), "pod": nowKnown(lacking(newest, j.PodsLack, ofPods), j.Blind, read, false),
		"started_at": now(optTime(j.StartedAt)), "completed_at": now(optTime(j.CompletedAt)),
	})
}

func (c *converter) stepValue(s *Step) cty.Value {
	if s == nil {
		return cty.UnknownVal(c.step)
	} // it cannot have been missed: the scenario does it itself
	return cty.ObjectVal(map[string]cty.Value{
		"started_at": timeValue(s.StartedAt), "finished_at": timeValue(s.FinishedAt),
		"error": opt(s.Error, cty.String, cty.StringVal), "warnings": texts(s.Warnings),
		"stdout": opt(s.Stdout, cty.String, cty.StringVal), "stderr": opt(s.Stderr, cty.String, cty.StringVal),
		"exit_code": opt(s.ExitCode, cty.Number, number),
	})
}

func (c *converter) targetValue(t *Target) cty.Value {
	if t == nil {
		return cty.UnknownVal(c.target)
	}
	gates := make(map[string]cty.Value, len(t.FeatureGates))
	for name, on := range t.FeatureGates {
		gates[name] = cty.BoolVal(on)
	}
	set, nodes := mapOf(gates, cty.Bool), texts(t.Nodes)
	if t.GatesUnknown {
		set = cty.UnknownVal(set.Type())
	}
	cgroup := number(t.Cgroup)
	if t.GatesUnknown && t.Cgroup == 0 {
		cgroup = cty.UnknownVal(cty.Number)
	}
	if t.NodesUnknown {
		nodes = cty.UnknownVal(nodes.Type())
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": observed(t.Name), "kubernetes": observed(t.Kubernetes), "minor": number(t.Minor),
		"feature_gates": set, "native_sidecars": cty.BoolVal(t.NativeSidecars),
		"ordered_termination": cty.BoolVal(t.OrderedTermination), "nodes": nodes,
		"runtime": observed(t.Runtime), "cgroup": cgroup,
	})
}

// conditions are those observed and, unknown, those asked for.
func (c *converter) conditions(all map[string]bool) cty.Value {
	values := make(map[string]cty.Value, len(all)+len(c.keys))
	for key := range c.keys {
		values[key] = cty.UnknownVal(cty.Bool)
	}
	for key, is := range all {
		values[key] = cty.BoolVal(is)
	}
	return mapOf(values, cty.Bool)
}

func opt[T any](o Opt[T], ty cty.Type, known func(T) cty.Value) cty.Value {
	switch o.State {
	case Known:
		return known(o.Value)
	case Absent:
		return cty.NullVal(ty).Mark(missing)
	default:
		return cty.UnknownVal(ty)
	}
}

func optTime(o Opt[Time]) cty.Value { return opt(o, cty.Number, timeValue) }

func number(n int) cty.Value { return cty.NumberIntVal(int64(n)) }

// observed is a string that is never empty once it was observed.
func observed(s string) cty.Value {
	if s == "" {
		return cty.UnknownVal(cty.String)
	}
	return cty.StringVal(s)
}

func texts(all []string) cty.Value {
	values := make([]cty.Value, 0, len(all))
	for _, s := range all {
		values = append(values, cty.StringVal(s))
	}
	return listOf(values, cty.String)
}

// namesInOrder is a list, unknown if there is none, since the times do not
// tell the order.
func namesInOrder(all []string) cty.Value {
	if all == nil {
		return cty.UnknownVal(cty.List(cty.String)).Mark(imprecise)
	}
	return texts(all)
}

func listOf(values []cty.Value, ty cty.Type) cty.Value {
	if len(values) == 0 {
		return cty.ListValEmpty(ty)
	}
	return cty.ListVal(values)
}

func mapOf(values map[string]cty.Value, ty cty.Type) cty.Value {
	if len(values) == 0 {
		return cty.MapValEmpty(ty)
	}
	return cty.MapVal(values)
}
