package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/labs/report/layout"
)

func TestHumps(t *testing.T) {
	p := newPage(layout.Style{})
	for name, want := range map[string][]string{
		"+SidecarContainers": {"+Sidecar", "Containers"}, "1.28.15": {"1.28.15"}, "": nil,
		"+RestartAllContainersOnContainerExits": {"+RestartAll", "ContainersOn", "Container", "Exits"},
		"+InPlacePodVerticalScaling":            {"+InPlacePod", "Vertical", "Scaling"},
		"lowercaseonlyandverylong":              {"lower…rylong"},
	} {
		if diff := cmp.Diff(want, p.humps(name, 12), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}
