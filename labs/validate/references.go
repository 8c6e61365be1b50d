package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// reference is a reference in an expression, taken apart: job.myapp.pod
// .container["main"].exit_code has the root job, the name myapp and the
// container main.
type reference struct {
	root, name, container string
	attribute             string
	at, nameAt            hcl.Range
	containerAt           hcl.Range
}

// reached are the references of an expression, and of the scenario's locals
// that it uses.
func (c *checker) reached(s *dsl.Scenario, expr hcl.Expression) []reference {
	var all []reference
	for _, e := range withLocals(s, expr) {
		for _, traversal := range e.Variables() {
			all = append(all, takenApart(traversal))
		}
	}
	return all
}

// withLocals are an expression and the locals that it is made of; all of them
// if one is computed, such as local[var.which].
func withLocals(s *dsl.Scenario, expr hcl.Expression) []hcl.Expression {
	all := []hcl.Expression{expr}
	busy := map[string]bool{}
	add := func(name string) {
		if local := s.Locals[name]; local != nil && !busy[name] {
			busy[name] = true
			all = append(all, local)
		}
	}
	for i := 0; i < len(all); i++ {
		for _, traversal := range all[i].Variables() {
			ref := takenApart(traversal)
			switch {
			case ref.root != "local":
			case ref.name != "":
				add(ref.name)
			default:
				for _, name := range slices.Sorted(maps.Keys(s.Locals)) {
					add(name)
				}
			}
		}
	}
	return all
}

func takenApart(t hcl.Traversal) reference {
	ref := reference{root: t.RootName(), at: t.SourceRange()}
	for i := 1; i < len(t); i++ {
		name, ok := stepName(t[i])
		switch {
		case !ok:
		case i == 1:
			ref.name, ref.nameAt = name, t[i].SourceRange()
		case i == 2:
			ref.attribute = name
		}
		if before, isName := stepName(t[i-1]); ok && isName && i > 2 && before == "container" && ref.container == "" {
			ref.container, ref.containerAt = name, t[i].SourceRange()
		}
	}
	return ref
}

func stepName(step hcl.Traverser) (string, bool) {
	if attr, ok := step.(hcl.TraverseAttr); ok {
		return attr.Name, true
	}
	key, ok := value.IndexKey(step)
	if ok && key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
		return key.AsString(), true
	}
	return "", false
}

// references checks what a step's expressions refer to: what they name as it
// stands, and what they reach by a computed name, through the scenario's locals
// and through names of a for expression.
func (c *checker) references(s *dsl.Scenario, i int, step *dsl.Step, k *known) {
	for _, expr := range step.Expressions() {
		for _, r := range c.scope(s, step, nil).Examine(expr).Reached {
			c.refer(s, i, reference{
				root: r.Root, name: r.Name, attribute: r.Attribute, container: r.Container,
				at: r.At, nameAt: r.NameAt, containerAt: r.ContainerAt,
			}, k)
		}
		for _, ref := range c.reached(s, expr) {
			c.refer(s, i, ref, k)
		}
	}
}

// refer checks one reference.
func (c *checker) refer(s *dsl.Scenario, i int, ref reference, k *known) {
	switch ref.root {
	case "pod", "job":
		c.object(s, i, ref, k)
	case "step":
		c.result(s, ref)
	}
}

// result tells of a step's result that it does not have.
func (c *checker) result(s *dsl.Scenario, ref reference) {
	if ref.attribute != "stdout" && ref.attribute != "stderr" && ref.attribute != "exit_code" {
		return
	}
	for _, step := range append(s.Steps[:len(s.Steps):len(s.Steps)], s.Finally...) {
		if step.Name == ref.name && !c.verbs.Forecast(step).Output {
			c.errorf(ref.at, "No such result", "The step %q is no exec, so its %s is always null.", step.Name, ref.attribute)
		}
	}
}

// object checks a reference to a pod or a Job by what the scenario applies.
func (c *checker) object(s *dsl.Scenario, i int, ref reference, k *known) {
	if ref.name == "" || k.open {
		return
	}
	var makers []placed
	later := false
	for _, o := range k.objects {
		if !makes(o.document, ref) {
			continue
		}
		later = later || o.step > i
		if o.step <= i {
			makers = append(makers, o)
		}
	}
	switch {
	case len(makers) == 0 && later:
		c.errorf(ref.nameAt, "Object comes later", "%s %q is applied by a later step, so there is nothing to look at here.", noun(ref.root), ref.name)
	case len(makers) == 0:
		c.errorf(ref.nameAt, "Unknown "+ref.root, "No step of the scenario applies a %s %q.%s", noun(ref.root), ref.name, k.others(ref))
	case ref.container != "":
		c.container(s, ref, makers)
	}
}

// makes says whether an object is, or makes, what a reference names.
func makes(d *document, ref reference) bool {
	if ref.root == "job" {
		return d.kind == "Job" && (d.name == ref.name || d.generated) || d.kind == "CronJob" && strings.HasPrefix(ref.name, d.name+"-")
	}
	if d.kind == "Pod" {
		return d.name == ref.name || d.generated
	}
	_, controller := podPaths()[d.kind]
	return controller && (strings.HasPrefix(ref.name, d.name+"-") || d.generated)
}

func noun(root string) string {
	if root == "job" {
		return "Job"
	}
	return root
}

// others says what may be meant instead.
func (k *known) others(ref reference) string {
	var names, jobs []string
	for _, o := range k.objects {
		switch {
		case o.name == "", slices.Contains(names, o.name):
		case ref.root == "job" && o.kind == "Job", ref.root == "pod" && o.kind == "Pod":
			names = append(names, o.name)
		case ref.root == "pod" && o.kind == "Job":
			jobs = append(jobs, o.name)
		}
	}
	if hint := dsl.DidYouMean(ref.name, names); hint != "" {
		return hint
	}
	if ref.root == "pod" && slices.Contains(jobs, ref.name) {
		return fmt.Sprintf(" The pod of the Job is job.%s.pod.", ref.name)
	}
	if len(names) > 0 {
		return fmt.Sprintf(" There is %s.", strings.Join(names, ", "))
	}
	return ""
}

// container checks a container's name by the manifests of its pod. Containers
// that a patch adds are not known.
func (c *checker) container(s *dsl.Scenario, ref reference, makers []placed) {
	if slices.ContainsFunc(s.Steps, func(st *dsl.Step) bool { return c.verbs.Forecast(st).AltersPods }) {
		return
	}
	var names []string
	for _, o := range makers {
		if o.pod == nil {
			return
		}
		names = append(names, o.pod.names()...)
	}
	if slices.Contains(names, ref.container) {
		return
	}
	hint := dsl.DidYouMean(ref.container, names)
	if hint == "" {
		hint = fmt.Sprintf(" There is %s.", strings.Join(names, ", "))
	}
	c.errorf(ref.containerAt, "No such container", "The pod has no container %q.%s", ref.container, hint)
}

// observed says whether a root of a step's expressions is about what is
// observed, and not known before the run.
func observed(root string, step *dsl.Step) bool {
	switch root {
	case "var", "local", "matrix", "each", "path", "cluster", "target":
		return false
	}
	_, iterator := step.Roots[root]
	return !iterator
}
