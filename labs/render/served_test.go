package render

import (
	"fmt"
	"slices"
	"testing"
)

// TestServed holds what clusters of 1.27, 1.28, 1.29, 1.33, 1.36 and 1.37 named by
// `kubectl api-versions` and `kubectl api-resources`. What is between is by the
// lifecycles of the types.
func TestServed(t *testing.T) {
	for _, tt := range []struct {
		version    string
		from, till int // the first minor version that serves it, and the last one; 0 for all
	}{
		{"v1", 0, 0},
		{"v1/Pod", 0, 0},
		{"apps/v1/Deployment", 0, 0},
		{"batch/v1/CronJob", 0, 0},
		{"policy/v1/PodDisruptionBudget", 0, 0},
		{"apiextensions.k8s.io/v1/CustomResourceDefinition", 0, 0},
		{"apiregistration.k8s.io/v1/APIService", 0, 0},
		{"flowcontrol.apiserver.k8s.io/v1beta2", 0, 28},
		{"flowcontrol.apiserver.k8s.io/v1beta3", 0, 31},
		{"flowcontrol.apiserver.k8s.io/v1", 29, 0},
		{"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy", 30, 0},
		{"networking.k8s.io/v1/ServiceCIDR", 33, 0},
		{"resource.k8s.io/v1", 34, 0},
		{"resource.k8s.io/v1/DeviceClass", 34, 0},
		{"storagemigration.k8s.io/v1", 37, 0},
		{"resource.k8s.io/v1/DeviceTaintRule", 37, 0},
	} {
		for minor := 27; minor <= 37; minor++ {
			want := minor >= tt.from && (tt.till == 0 || minor <= tt.till)
			if got := slices.Contains(served(minor), tt.version); got != want {
				t.Errorf("1.%d serves %s: %t, want %t", minor, tt.version, got, want)
			}
		}
	}
	for _, never := range []string{"policy/v1beta1", "batch/v1beta1", "autoscaling/v2beta2", "resource.k8s.io/v1alpha3", "storage.k8s.io/v1beta1", "v1/PodList", "v1/PodExecOptions", "__internal"} {
		for minor := 27; minor <= 37; minor++ {
			if slices.Contains(served(minor), never) {
				t.Errorf("1.%d serves %s", minor, never)
			}
		}
	}
	if first, second := fmt.Sprint(served(33)), fmt.Sprint(served(33)); first != second {
		t.Errorf("another order: %s, %s", first, second)
	}
}
