package value

import "github.com/zclconf/go-cty/cty"

// Types returns the types of the kinds of values that have one of their own, by
// the names that dsl/schema gives them, and as "object" what every object of
// another kind has beside its JSON.
func Types() map[string]cty.Type {
	s := newSchema()
	return map[string]cty.Type{
		"run": s.run, "line": s.line, "log": s.log, "event": s.event, "container": s.container,
		"pod": s.pod, "job": s.job, "step": s.step, "target": s.target, "object": s.objectType(),
	}
}

// objectType is the type of an object without JSON.
func (s *schema) objectType() cty.Type {
	e := &evaluation{schema: s, keys: map[string]bool{}}
	return e.objectValue(&Object{}, Kind{}, nil).Type()
}
