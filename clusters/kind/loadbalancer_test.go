package kind

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The library does not export which image it puts before control planes.
func TestLoadBalancerImageIsTheLibrarys(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg/cluster/internal/loadbalancer/const.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `"`+loadBalancerImage+`"`) {
		t.Errorf("%s is not the image that the library names:\n%s", loadBalancerImage, source)
	}
}
