package expect

import "testing"

func TestOfCluster(t *testing.T) {
	for reference, want := range map[string]bool{
		"pod.myapp.phase": true, `pod["myapp"].phase`: true, "job.myapp": true, "pod": true, "service.web.ports": true,
		"step.make.exit_code": false, "local.app": false, "var.image": false, "target.version": false, "each.key": false, "matrix.a": false, "": false,
	} {
		if got := OfCluster(reference); got != want {
			t.Errorf("%q: %t", reference, got)
		}
	}
}
