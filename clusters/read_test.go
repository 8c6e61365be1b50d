package clusters

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOldHandlesAreRead reads a Handle as labs wrote it that had "watched" and
// "reached".
func TestOldHandlesAreRead(t *testing.T) {
	text, err := os.ReadFile("testdata/handle-watched.json")
	if err != nil {
		t.Fatal(err)
	}
	var h Handle
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	if want := (Capabilities{CanWatchNodes: true, CanExecOnNodes: true}); h.Capabilities != want || h.ID != "lab-abcdef-stage" || len(h.Nodes) != 1 {
		t.Errorf("handle %+v", h)
	}
	written, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var again Handle
	if err := json.Unmarshal(written, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, again); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}
