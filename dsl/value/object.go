package value

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Kind names a kind of objects, such as apps/v1 Deployment.
type Kind struct{ APIVersion, Kind string }

// ObjectKey names an object in a run's namespace, or of the whole cluster.
type ObjectKey struct {
	Kind
	Name string
}

// Object is what is known of an object of any kind. A nil *Object was not
// observed yet.
type Object struct {
	// Absent says that there is no such object any more: null.
	Absent    bool
	Name, UID string
	// Fields is its JSON, decoded with json.Number.
	Fields    map[string]any
	CreatedAt Time
	GoneAt    Opt[Time]
	Events    []Event
	// Blind says why its state is not known now; empty if it is. EventsLack
	// says why there may have been more events.
	Blind, EventsLack string
}

// Event is a Kubernetes event.
type Event struct {
	Reason, Message string
	// Type is "Normal" or "Warning".
	Type  string
	Count int
	At    Time
}

// missing marks null that was observed: a time, an exit code or the like that
// cannot come any more, and a field that an object does not have, zero or not
// reported yet. Ordered comparisons and arithmetic with it are unknown rather
// than an error: what did not happen was neither before something nor after it.
const missing = mark("missing")

// kindRoots are the roots of objects that have no type of their own.
func kindRoots() []string {
	return []string{"configmap", "cronjob", "daemonset", "deployment", "endpointslice", "namespace", "node",
		"persistentvolumeclaim", "replicaset", "secret", "service", "statefulset"}
}

// KindOf returns the kind of objects below a root such as deployment; false
// where it is no such root.
func KindOf(root string) (Kind, bool) {
	switch root {
	case "configmap":
		return Kind{"v1", "ConfigMap"}, true
	case "cronjob":
		return Kind{"batch/v1", "CronJob"}, true
	case "daemonset":
		return Kind{"apps/v1", "DaemonSet"}, true
	case "deployment":
		return Kind{"apps/v1", "Deployment"}, true
	case "endpointslice":
		return Kind{"discovery.k8s.io/v1", "EndpointSlice"}, true
	case "namespace":
		return Kind{"v1", "Namespace"}, true
	case "node":
		return Kind{"v1", "Node"}, true
	case "persistentvolumeclaim":
		return Kind{"v1", "PersistentVolumeClaim"}, true
	case "replicaset":
		return Kind{"apps/v1", "ReplicaSet"}, true
	case "secret":
		return Kind{"v1", "Secret"}, true
	case "service":
		return Kind{"v1", "Service"}, true
	case "statefulset":
		return Kind{"apps/v1", "StatefulSet"}, true
	}
	return Kind{}, false
}

// Kinds returns the kinds of objects that an expression looks at, but pods and
// Jobs, with those of the scenario's locals that it uses; each once, sorted.
// Those of an object() whose arguments are not known are left out.
func (s *Scope) Kinds(expr hcl.Expression) []Kind {
	found, busy := map[Kind]bool{}, map[string]bool{}
	s.kinds(expr, found, busy)
	kinds := make([]Kind, 0, len(found))
	for kind := range found {
		kinds = append(kinds, kind)
	}
	sort.Slice(kinds, func(i, j int) bool {
		return kinds[i].APIVersion+" "+kinds[i].Kind < kinds[j].APIVersion+" "+kinds[j].Kind
	})
	return kinds
}

func (s *Scope) kinds(expr hcl.Expression, found map[Kind]bool, busy map[string]bool) {
	for _, ref := range expr.Variables() {
		if kind, ok := KindOf(ref.RootName()); ok {
			found[kind] = true
		}
		name, ok := stepName(ref, 1)
		if local := s.ScenarioLocals[name]; ok && ref.RootName() == "local" && local != nil && !busy[name] {
			busy[name] = true
			s.kinds(local, found, busy)
		}
	}
	for _, call := range callsOf(expr, "object") {
		if kind, ok := s.calledKind(call); ok {
			found[kind] = true
		}
	}
}

// calledKind is the kind that a call of object() asks for.
func (s *Scope) calledKind(call *hclsyntax.FunctionCallExpr) (Kind, bool) {
	var words []string
	for _, arg := range call.Args[:min(2, len(call.Args))] {
		v, diags := s.Eval(arg)
		if diags.HasErrors() || v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
			return Kind{}, false
		}
		words = append(words, v.AsString())
	}
	if len(words) != 2 {
		return Kind{}, false
	}
	return Kind{words[0], words[1]}, true
}

// UnknownKinds returns the places of calls of object() whose kind is not known
// before the run, so that nobody would watch it.
func (s *Scope) UnknownKinds(expr hcl.Expression) []hcl.Range {
	var at []hcl.Range
	for _, call := range callsOf(expr, "object") {
		if _, ok := s.calledKind(call); !ok {
			at = append(at, call.Range())
		}
	}
	return at
}

// callsOf returns the calls of some functions in an expression.
func callsOf(expr hcl.Expression, names ...string) []*hclsyntax.FunctionCallExpr {
	var calls []*hclsyntax.FunctionCallExpr
	if native, ok := expr.(hclsyntax.Expression); ok {
		_ = hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
			if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && slices.Contains(names, call.Name) {
				calls = append(calls, call)
			}
			return nil
		}) // the function returns no diagnostics
	}
	return calls
}

// objectFunction is object(), over what was observed. wanted are the paths that
// the expression asks for below any of its calls.
func (e *evaluation) objectFunction(wanted []hcl.Traversal) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "api_version", Type: cty.String}, {Name: "kind", Type: cty.String}, {Name: "name", Type: cty.String}},
		Type: func(args []cty.Value) (cty.Type, error) {
			for _, arg := range args {
				if !arg.IsKnown() {
					return cty.DynamicPseudoType, nil
				}
			}
			v, _ := e.calledObject(args, wanted).Unmark()
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return e.calledObject(args, wanted), nil },
	})
}

// unknownObject is object() where nothing is observed, as in a template.
func unknownObject() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "api_version", Type: cty.String}, {Name: "kind", Type: cty.String}, {Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType(cty.DynamicPseudoType),
		Impl:   func([]cty.Value, cty.Type) (cty.Value, error) { return cty.DynamicVal, nil },
	})
}

func (e *evaluation) calledObject(args []cty.Value, wanted []hcl.Traversal) cty.Value {
	return e.observedObject(ObjectKey{Kind{args[0].AsString(), args[1].AsString()}, args[2].AsString()}, wanted)
}

// observedObject is the value of an object with what it was read from.
func (e *evaluation) observedObject(key ObjectKey, wanted []hcl.Traversal) cty.Value {
	o := e.scope.Objects[key]
	stream := ObjectStream(key.Kind.Kind)
	e.touched.other(stream, key.Name, o != nil)
	v := e.objectValue(o, key.Kind, wanted)
	why := e.scope.Missed[stream]
	if o != nil {
		why = o.Blind
	}
	e.touched.cannotSee(why)
	return nowKnown(v, why, Read{Stream: stream, Name: key.Name}, o == nil)
}

// pathsBelow are the paths that an expression asks for below calls of
// object().
func pathsBelow(expr hcl.Expression) []hcl.Traversal {
	var paths []hcl.Traversal
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		return nil
	}
	_ = hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
		if rel, ok := n.(*hclsyntax.RelativeTraversalExpr); ok {
			if call, ok := rel.Source.(*hclsyntax.FunctionCallExpr); ok && call.Name == "object" {
				paths = append(paths, rel.Traversal)
			}
		}
		return nil
	}) // the function returns no diagnostics
	return paths
}

// objectValue is an object's JSON as a value, with what it has beside that.
func (e *evaluation) objectValue(o *Object, kind Kind, wanted []hcl.Traversal) cty.Value {
	switch {
	case o == nil:
		return cty.DynamicVal
	case o.Absent:
		return cty.NullVal(cty.DynamicPseudoType)
	}
	attrs := map[string]cty.Value{}
	for name, field := range o.Fields {
		v := fieldValue(field, below(wanted, name))
		if kind == secretKind && isSecretField(name) {
			v = v.Mark(Sensitive)
		}
		attrs[name] = v
	}
	conditions := &converter{schema: e.schema, keys: e.keys}
	attrs["name"], attrs["uid"] = observed(o.Name), observed(o.UID)
	attrs["conditions"] = conditions.conditions(conditionsIn(o.Fields))
	attrs["events"] = lacking(e.schema.eventList(o.Events), o.EventsLack, Read{Stream: EventStream, Name: o.Name})
	attrs["created_at"], attrs["gone_at"] = timeValue(o.CreatedAt), optTime(o.GoneAt)
	for _, path := range wanted {
		if name, ok := stepName(path, 0); ok {
			if _, there := attrs[name]; !there {
				attrs[name] = absent(path[1:])
			}
		}
	}
	return cty.ObjectVal(attrs)
}

// secretKind is the kind of objects that hold what is sensitive.
var secretKind = Kind{"v1", "Secret"}

func isSecretField(name string) bool { return name == "data" || name == "stringData" }

// secretFields are those fields of a Secret that are sensitive.
func secretFields(o *Object) []cty.Value {
	var all []cty.Value
	for name, field := range o.Fields {
		if isSecretField(name) {
			all = append(all, fieldValue(field, nil).Mark(Sensitive))
		}
	}
	return all
}

// below are the rests of those paths that begin with a name.
func below(paths []hcl.Traversal, name string) []hcl.Traversal {
	var rests []hcl.Traversal
	for _, path := range paths {
		if step, ok := stepName(path, 0); ok && step == name && len(path) > 1 {
			rests = append(rests, path[1:])
		}
	}
	return rests
}

// absent is what stands for a field that is not there, of which an expression
// asks for what is at a path below it: null where that is named by attributes
// alone, unknown if it would be an element of a list.
func absent(path hcl.Traversal) cty.Value {
	if len(path) == 0 {
		return cty.NullVal(cty.DynamicPseudoType).Mark(missing)
	}
	if name, ok := stepName(path, 0); ok {
		return cty.ObjectVal(map[string]cty.Value{name: absent(path[1:])})
	}
	return cty.DynamicVal
}

// fieldValue is a field of decoded JSON as a value, with what is asked for and
// not there.
func fieldValue(field any, wanted []hcl.Traversal) cty.Value {
	switch field := field.(type) {
	case map[string]any:
		attrs := map[string]cty.Value{}
		for name, v := range field {
			attrs[name] = fieldValue(v, below(wanted, name))
		}
		for _, path := range wanted {
			if name, ok := stepName(path, 0); ok {
				if _, there := attrs[name]; !there {
					attrs[name] = absent(path[1:])
				}
			}
		}
		return cty.ObjectVal(attrs)
	case []any:
		return listValue(field, wanted)
	case string:
		return cty.StringVal(field)
	case bool:
		return cty.BoolVal(field)
	case json.Number:
		if v, err := cty.ParseNumberVal(field.String()); err == nil {
			return v
		}
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

// listValue is a list of decoded JSON; unknown if an element is asked for
// that is not there yet.
func listValue(field []any, wanted []hcl.Traversal) cty.Value {
	rests := map[int][]hcl.Traversal{}
	for _, path := range wanted {
		key, ok := indexKey(path[0])
		if !ok || key.Type() != cty.Number || !key.IsKnown() || key.IsNull() {
			continue
		}
		i, _ := key.AsBigFloat().Int64()
		if int(i) >= len(field) {
			return cty.DynamicVal
		}
		if len(path) > 1 {
			rests[int(i)] = append(rests[int(i)], path[1:])
		}
	}
	values := make([]cty.Value, len(field))
	for i, v := range field {
		values[i] = fieldValue(v, rests[i])
	}
	return cty.TupleVal(values)
}

// conditionsIn are the conditions in an object's status.
func conditionsIn(fields map[string]any) map[string]bool {
	all := map[string]bool{}
	status, _ := fields["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	for _, c := range list {
		condition, _ := c.(map[string]any)
		name, _ := condition["type"].(string)
		is, _ := condition["status"].(string)
		if name != "" {
			all[name] = strings.EqualFold(is, "true")
		}
	}
	return all
}

func (s *schema) eventList(events []Event) cty.Value {
	values := make([]cty.Value, len(events))
	for i, e := range events {
		values[i] = cty.ObjectVal(map[string]cty.Value{
			"reason": cty.StringVal(e.Reason), "message": cty.StringVal(e.Message), "type": cty.StringVal(e.Type),
			"count": number(e.Count), "at": timeValue(e.At),
		})
	}
	return listOf(values, s.event)
}
