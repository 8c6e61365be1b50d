package podimage

import (
	"context"
	"slices"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
)

// kind starts it with bash, and configures it with the other commands.
func TestLoadBalancerHasWhatKindCalls(t *testing.T) {
	w := fakehost.New(t)
	if err := PodsOf(t, w).Ensure(context.Background(), clusters.LoadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	image := e.Images[clusters.LoadBalancerImage]
	for _, file := range []string{"usr/local/bin/envoy", "bin/bash", "bin/sh", "bin/busybox"} {
		if !slices.Contains(image.Files, file) {
			t.Errorf("the image lacks %s: %q", file, image.Files)
		}
	}
	if image.Labels[images.BuiltLabel] != images.RolePod || image.Labels[images.VersionLabel+"busybox"] == "" {
		t.Errorf("labels %v", image.Labels)
	}
	// It is compiled once.
	w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}})
	if err := PodsOf(t, w).Ensure(context.Background(), clusters.LoadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	if builds := w.Calls("go build"); len(builds) != 1 {
		t.Errorf("compiled %d times", len(builds))
	}
}
