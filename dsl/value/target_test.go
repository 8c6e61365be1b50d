package value

import "testing"

func TestUnknownAttributesOfAnExistingCluster(t *testing.T) {
	known := &Target{Name: "stage", Kubernetes: "1.29.15", Minor: 29, NativeSidecars: true, GatesUnknown: true, NodesUnknown: true}
	scope := &Scope{Target: known}
	for source, want := range map[string]Logic{
		"target.native_sidecars && target.minor == 29": True,
		`lookup(target.feature_gates, "A", false)`:     Undecided,
		"length(target.nodes) > 0":                     Undecided,
		"target.cgroup == 2":                           Undecided,
		`target.runtime == "containerd://2.0.0"`:       Undecided,
	} {
		expr, diags := ParseExpression([]byte(source), "test")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		v, diags := scope.Eval(expr)
		if diags.HasErrors() {
			t.Errorf("%s: %v", source, diags)
			continue
		}
		if got, err := Truth(v); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", source, got, err, want)
		}
	}
}
