package value

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// converter makes cty values of what was observed.
type converter struct {
	*schema
	// logs says whether logs are asked for; they are unknown otherwise, since
	// they may be long.
	logs bool
	// keys are the conditions that are asked for by name: unknown rather than
	// missing where they were not observed.
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
		return c.podValue(s.Pods[name])
	case "job":
		return c.jobValue(name, s.Jobs[name])
	default:
		return c.stepValue(s.Steps[name])
	}
}

func (c *converter) podValue(p *Pod) cty.Value {
	switch {
	case p == nil:
		return cty.UnknownVal(c.pod)
	case p.Absent:
		return cty.NullVal(c.pod)
	}
	return c.cache.pod(podKey{p, c.logs, c.asked()}, func() cty.Value { return c.observedPod(p) })
}

func (c *converter) observedPod(p *Pod) cty.Value {
	list, byName := c.containers(p.Containers)
	return cty.ObjectVal(map[string]cty.Value{
		"name": observed(p.Name), "uid": observed(p.UID),
		"ip": opt(p.IP, cty.String, cty.StringVal), "node": opt(p.Node, cty.String, cty.StringVal),
		"phase": observed(p.Phase), "status": observed(p.Status), "statuses": texts(p.Statuses),
		"ready": observed(p.Ready), "reason": opt(p.Reason, cty.String, cty.StringVal),
		"conditions": c.conditions(p.Conditions),
		"container":  byName, "containers": list,
		"start_order": namesInOrder(p.StartOrder), "exit_order": namesInOrder(p.ExitOrder), "events": c.eventList(p.Events),
		"created_at": timeValue(p.CreatedAt), "deleted_at": optTime(p.DeletedAt), "gone_at": optTime(p.GoneAt),
		"qos": observed(p.QOS),
	})
}

// containers returns them as a list in order and as a map by name.
func (c *converter) containers(all []*Container) (cty.Value, cty.Value) {
	list, byName := make([]cty.Value, 0, len(all)), make(map[string]cty.Value, len(all))
	for _, one := range all {
		if one == nil {
			continue
		}
		v := c.containerValue(one)
		list = append(list, v)
		byName[one.Name] = v
	}
	if len(list) == 0 {
		return cty.ListValEmpty(c.container), cty.MapValEmpty(c.container)
	}
	return cty.ListVal(list), cty.MapVal(byName)
}

func (c *converter) containerValue(one *Container) cty.Value {
	runs := make([]cty.Value, 0, len(one.Runs))
	for _, r := range one.Runs {
		runs = append(runs, cty.ObjectVal(map[string]cty.Value{
			"started_at": optTime(r.StartedAt), "finished_at": optTime(r.FinishedAt),
			"exit_code": opt(r.ExitCode, cty.Number, number),
		}))
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": observed(one.Name), "kind": observed(one.Kind),
		"state": opt(one.State, cty.String, cty.StringVal), "reason": opt(one.Reason, cty.String, cty.StringVal),
		"ready": cty.BoolVal(one.Ready), "started": opt(one.Started, cty.Bool, cty.BoolVal),
		"restarts":   number(one.Restarts),
		"exit_code":  opt(one.ExitCode, cty.Number, number),
		"signal":     opt(one.Signal, cty.Number, number),
		"oom_killed": opt(one.OOMKilled, cty.Bool, cty.BoolVal),
		"image":      observed(one.Image),
		"started_at": optTime(one.StartedAt), "ready_at": optTime(one.ReadyAt), "finished_at": optTime(one.FinishedAt),
		"runs": listOf(runs, c.run), "log": c.logValue(one.Log),
	})
}

func (c *converter) logValue(lines []Line) cty.Value {
	if !c.logs {
		return cty.UnknownVal(c.log)
	}
	var text strings.Builder
	values := make([]cty.Value, 0, len(lines))
	for _, line := range lines {
		text.WriteString(line.Text)
		text.WriteString("\n")
		values = append(values, cty.ObjectVal(map[string]cty.Value{
			"at": timeValue(line.At), "text": cty.StringVal(line.Text),
		}))
	}
	return cty.ObjectVal(map[string]cty.Value{
		"text": cty.StringVal(text.String()), "lines": listOf(values, c.line),
	})
}

// jobValue leaves out, as unknown, pods that are not asked for: there may be
// many.
func (c *converter) jobValue(name string, j *Job) cty.Value {
	switch {
	case j == nil:
		return cty.UnknownVal(c.job)
	case j.Absent:
		return cty.NullVal(c.job)
	}
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
		"name": observed(j.Name), "complete": cty.BoolVal(j.Complete), "failed": cty.BoolVal(j.Failed),
		"active": number(j.Active), "succeeded": number(j.Succeeded), "failures": number(j.Failures),
		"conditions": c.conditions(j.Conditions), "pods": pods, "pod": newest,
		"started_at": optTime(j.StartedAt), "completed_at": optTime(j.CompletedAt),
	})
}

func (c *converter) stepValue(s *Step) cty.Value {
	if s == nil {
		return cty.UnknownVal(c.step)
	}
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

// namesInOrder is a list, unknown where there is none, since the times do not
// tell the order.
func namesInOrder(all []string) cty.Value {
	if all == nil {
		return cty.UnknownVal(cty.List(cty.String))
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
