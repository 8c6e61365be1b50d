package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

// The library does not export which image it puts before control planes, its
// internal/loadbalancer.Image.
func TestLoadBalancerImageIsTheLibrarys(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg/cluster/internal/loadbalancer/const.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `"`+clusters.LoadBalancerImage+`"`) {
		t.Errorf("%s is not the image that the library names:\n%s", clusters.LoadBalancerImage, source)
	}
}

// The library would pull it, which cannot be stopped and cannot build it.
func TestLoadBalancerIsThereBefore(t *testing.T) {
	for _, tc := range []struct {
		controlPlanes int
		asked         []string
	}{
		{1, nil},
		{3, []string{clusters.LoadBalancerImage}},
	} {
		fake := newFakeEngine(t, behaviour{Images: have(), RunFails: "docker: no more"})
		var asked []string
		p := New(fake.engine(), clusters.Host{}, Options{EnsureImage: func(_ context.Context, ref string, _ func(string)) error {
			asked = append(asked, ref)
			return errors.New("it is not available")
		}})
		spec := spec128()
		spec.ControlPlanes = tc.controlPlanes
		_, err := p.Create(t.Context(), spec, "lab-t", filepath.Join(t.TempDir(), "v128.yaml"), nil)
		if err == nil || !slices.Equal(asked, tc.asked) {
			t.Errorf("%d control planes: asked for %q, %v", tc.controlPlanes, asked, err)
		}
		if want := fmt.Sprintf("load balancer of %d control planes", tc.controlPlanes); tc.asked != nil && (!errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), want)) {
			t.Errorf("error is %v", err)
		}
	}
}
