package nodeimage

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kind does not export which image it puts before control planes.
func TestLoadBalancerImageIsKinds(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", kindModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg/cluster/internal/loadbalancer/const.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `"`+loadBalancerImage+`"`) {
		t.Errorf("%s is not the image that kind names:\n%s", loadBalancerImage, source)
	}
}

// kind starts it with bash, and configures it with the other commands.
func TestLoadBalancerHasWhatKindCalls(t *testing.T) {
	w, p := newWorld(t)
	if err := p.EnsureImage(context.Background(), loadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	var e fakeEngine
	w.get("engine", &e)
	image := e.Images[loadBalancerImage]
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
	if err := p.EnsureImage(context.Background(), loadBalancerImage, nil); err != nil {
		t.Fatal(err)
	}
	if builds := w.calls("go build"); len(builds) != 1 {
		t.Errorf("compiled %d times", len(builds))
	}
}
