package mutate

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// known is what is known of a run beside its records.
type known struct {
	// minor is the minor version of Kubernetes; 0 if that is not known.
	minor int
	// policies are the restartPolicies of the pods and Jobs that the scenario
	// applies, as far as its manifests can be read without a cluster.
	policies map[object]policy
}

// object names what a manifest is of.
type object struct{ kind, name string }

// knownOf is what the scenario of a run says, and on what it ran.
func knownOf(j *replay.Judging) known {
	k := known{policies: map[object]policy{}}
	steps := j.Scenario().Steps
	if len(steps) == 0 {
		return k
	}
	if expr, diags := value.ParseExpression([]byte("target.minor"), ""); !diags.HasErrors() {
		if v, diags := j.Eval(steps[0], expr); !diags.HasErrors() && !v.IsNull() && v.IsKnown() && v.Type() == cty.Number {
			minor, _ := v.AsBigFloat().Int64()
			k.minor = int(minor)
		}
	}
	for _, st := range steps {
		for _, text := range manifests(j, st) {
			k.read(text)
		}
	}
	return k
}

// manifests are the texts that a step applies, those that are known.
func manifests(j *replay.Judging, st *dsl.Step) []string {
	made := verbs.Default().Forecast(st).Creates
	if made == nil {
		return nil
	}
	v, diags := j.Eval(st, made)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	one := []cty.Value{v}
	if v.CanIterateElements() {
		one = v.AsValueSlice()
	}
	var texts []string
	for _, v := range one {
		if v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			texts = append(texts, v.AsString())
		}
	}
	return texts
}

// read notes the restartPolicies of a manifest, as far as it is one.
func (k known) read(text string) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var m struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				RestartPolicy policy `yaml:"restartPolicy"`
				Template      struct {
					Spec struct {
						RestartPolicy policy `yaml:"restartPolicy"`
					}
				}
			}
		}
		if decoder.Decode(&m) != nil {
			return
		}
		switch m.Kind {
		case "Pod":
			k.policies[object{m.Kind, m.Metadata.Name}] = m.Spec.RestartPolicy
		case "Job":
			k.policies[object{m.Kind, m.Metadata.Name}] = m.Spec.Template.Spec.RestartPolicy
		}
	}
}

// policyOf is the restartPolicy of a pod, if that is known.
func (k known) policyOf(p *pod) (policy, bool) {
	of := object{"Pod", p.object.Name}
	if p.owner != nil {
		of = object{p.owner.Kind, p.owner.Name}
	}
	switch is, has := k.policies[of]; {
	case has && is != "":
		return is, true
	case has && of.kind == "Pod":
		return always, true
	}
	return always, slices.Contains(alwaysRestarting, of.kind)
}

// alwaysRestarting are the controllers whose pods have no other restartPolicy
// than Always.
var alwaysRestarting = []string{"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"}
