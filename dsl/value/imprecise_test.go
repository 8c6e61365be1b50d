package value

import "testing"

// TestImpreciseTimesAreNamedAsTheReason checks that a truth that is unknown
// because of whole seconds differs from one that is only not known yet: an
// imprecise truth stays unknown, whatever is observed later.
func TestImpreciseTimesAreNamedAsTheReason(t *testing.T) {
	api := `pod.api.container`
	for _, tt := range []struct {
		name, expr        string
		imprecise, partly bool
	}{
		{"a comparison", api + `["a"].finished_at < ` + api + `["b"].started_at`, true, false},
		{"an order", `ordered([` + api + `["a"].finished_at, ` + api + `["b"].started_at])`, true, false},
		{"an order of which the rest is not known yet", `ordered([` + api + `["a"].finished_at, ` + api + `["b"].started_at, pod.other.created_at])`, false, true},
		{"an order with what is not known yet in between", `ordered([` + api + `["a"].finished_at, pod.other.created_at, ` + api + `["b"].started_at])`, false, true},
		{"an order of what is not known yet", `ordered([` + api + `["a"].finished_at, pod.other.created_at])`, false, false},
		{"an order that is out of order elsewhere", `ordered([` + api + `["b"].started_at, ` + api + `["a"].finished_at, 1])`, false, false},
		{"an overlap", `overlaps(` + api + `["a"], ` + api + `["b"])`, true, false},
		{"an overlap of what is far apart", `overlaps(` + api + `["a"], ` + api + `["c"])`, false, false},
		{"an overlap with what is not known yet", `overlaps(` + api + `["a"], pod.other.container["x"])`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, diags := observedScope().Find(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if f.Imprecise != tt.imprecise || f.Partly != tt.partly {
				t.Errorf("imprecise %v, partly %v, want %v, %v (value %s)", f.Imprecise, f.Partly, tt.imprecise, tt.partly, f.Value.GoString())
			}
		})
	}
}
