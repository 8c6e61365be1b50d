package nodeimage

import (
	"context"
	"slices"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

// kind starts it with bash, and configures it with the other commands.
func TestLoadBalancerHasWhatKindCalls(t *testing.T) {
	w, p := newWorld(t)
	if err := p.EnsureImage(context.Background(), clusters.LoadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	var e fakeEngine
	w.get("engine", &e)
	image := e.Images[clusters.LoadBalancerImage]
	for _, file := range []string{"usr/local/bin/envoy", "bin/bash", "bin/sh", "bin/busybox"} {
		if !slices.Contains(image.Files, file) {
			t.Errorf("the image lacks %s: %q", file, image.Files)
		}
	}
	if image.Labels[builtLabel] != RolePod || image.Labels[versionLabel+"busybox"] == "" {
		t.Errorf("labels %v", image.Labels)
	}
	// It is compiled once.
	w.put("engine", fakeEngine{Images: map[string]fakeImage{}})
	if err := p.EnsureImage(context.Background(), clusters.LoadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	if builds := w.calls("go build"); len(builds) != 1 {
		t.Errorf("compiled %d times", len(builds))
	}
}
