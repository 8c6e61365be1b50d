package value

import (
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// schema holds the types of what is observed. It is cheap to make and is made
// once for each evaluation.
type schema struct {
	run, line, log, event, container, pod, job, step, target cty.Type
	// kinds are what is known of the attributes of these; see Scope.Examine.
	kinds func() map[string]kindShape
}

func newSchema() *schema {
	s := &schema{}
	s.kinds = sync.OnceValue(func() map[string]kindShape { return kindsOf(s) })
	s.run = cty.Object(map[string]cty.Type{
		"started_at": cty.Number, "finished_at": cty.Number, "exit_code": cty.Number,
	})
	s.line = cty.Object(map[string]cty.Type{"at": cty.Number, "text": cty.String})
	s.log = cty.Object(map[string]cty.Type{"text": cty.String, "lines": cty.List(s.line)})
	s.event = cty.Object(map[string]cty.Type{
		"reason": cty.String, "message": cty.String, "type": cty.String, "count": cty.Number, "at": cty.Number,
	})
	s.container = cty.Object(map[string]cty.Type{
		"name": cty.String, "kind": cty.String, "state": cty.String, "reason": cty.String,
		"ready": cty.Bool, "started": cty.Bool, "restarts": cty.Number,
		"exit_code": cty.Number, "signal": cty.Number, "oom_killed": cty.Bool, "image": cty.String,
		"started_at": cty.Number, "ready_at": cty.Number, "finished_at": cty.Number,
		"runs": cty.List(s.run), "log": s.log,
	})
	s.pod = cty.Object(map[string]cty.Type{
		"name": cty.String, "uid": cty.String, "ip": cty.String, "node": cty.String,
		"phase": cty.String, "status": cty.String, "statuses": cty.List(cty.String),
		"ready": cty.String, "reason": cty.String, "conditions": cty.Map(cty.Bool),
		"container": cty.Map(s.container), "containers": cty.List(s.container),
		"start_order": cty.List(cty.String), "exit_order": cty.List(cty.String), "events": cty.List(s.event),
		"created_at": cty.Number, "deleted_at": cty.Number, "gone_at": cty.Number, "qos": cty.String,
	})
	s.job = cty.Object(map[string]cty.Type{
		"name": cty.String, "complete": cty.Bool, "failed": cty.Bool,
		"active": cty.Number, "succeeded": cty.Number, "failures": cty.Number,
		"conditions": cty.Map(cty.Bool), "pods": cty.List(s.pod), "pod": s.pod,
		"started_at": cty.Number, "completed_at": cty.Number,
	})
	s.step = cty.Object(map[string]cty.Type{
		"started_at": cty.Number, "finished_at": cty.Number,
		"error": cty.String, "warnings": cty.List(cty.String),
		"stdout": cty.String, "stderr": cty.String, "exit_code": cty.Number,
	})
	s.target = cty.Object(map[string]cty.Type{
		"name": cty.String, "kubernetes": cty.String, "minor": cty.Number,
		"feature_gates": cty.Map(cty.Bool), "native_sidecars": cty.Bool,
		"ordered_termination": cty.Bool, "nodes": cty.List(cty.String),
		"runtime": cty.String, "cgroup": cty.Number,
	})
	return s
}

// object is the type of an object under one of the roots that have names
// below them; any type where it has none of its own.
func (s *schema) object(root string) cty.Type {
	switch root {
	case "pod":
		return s.pod
	case "job":
		return s.job
	case "step":
		return s.step
	default:
		return cty.DynamicPseudoType
	}
}

// noun names what values of a type are, with its article, for messages.
func (s *schema) noun(ty cty.Type) string {
	for _, known := range []struct {
		ty   cty.Type
		noun string
	}{
		{s.run, "A container's run"}, {s.line, "A log's line"}, {s.log, "A log"}, {s.event, "An event"},
		{s.container, "A container"}, {s.pod, "A pod"}, {s.job, "A job"},
		{s.step, "A step"}, {s.target, "The target"},
	} {
		if ty.Equals(known.ty) {
			return known.noun
		}
	}
	return "This object"
}
