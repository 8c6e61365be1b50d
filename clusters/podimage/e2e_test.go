//go:build e2e

package podimage

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

// docker runs the engine's command line.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestRealBusybox(t *testing.T) {
	p, err := New(Options{Engine: clusters.Engine{Name: "docker"}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	const ref = "busybox:1"
	t.Cleanup(func() { docker(t, "image", "rm", ref) })
	if err := p.Ensure(t.Context(), ref, nil); err != nil {
		t.Fatal(err)
	}
	if out := docker(t, "run", "--rm", ref, "sh", "-c", "seq 1 3 | tail -1; env | grep -c PATH"); out != "3\n1" {
		t.Errorf("busybox says %q", out)
	}
}
