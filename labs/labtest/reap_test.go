package labtest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/labtest"
	"github.com/kind-lab/lab/labs/reaper"
)

// TestTheTestsBinaryIsAReaperWhenAsked starts this binary as a run does, and says
// that the run has cleaned up, or not.
func TestTheTestsBinaryIsAReaperWhenAsked(t *testing.T) {
	for stdin, want := range map[string]string{reaper.Word: "", "": "nothing is left"} {
		dir := t.TempDir()
		text, err := json.Marshal(reaper.Invocation{Dir: dir, ID: "go-test-of-nobody-1"})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.v")
		cmd.Env = append(os.Environ(), labtest.EnvReap+"="+string(text), "LAB_POOL="+filepath.Join(dir, "pool"))
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) || want == "" && len(out) > 0 || strings.Contains(string(out), "=== RUN") {
			t.Errorf("given %q it ends with %v and says\n%s", stdin, err, out)
		}
	}
}

// TestAReaperIsReleased starts one and lets it go; several may be there at once.
func TestAReaperIsReleased(t *testing.T) {
	t.Setenv(reaper.Variable, "another run")
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		guard, err := labtest.StartReaper(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if id := os.Getenv(reaper.Variable); !strings.HasPrefix(id, "go-test-") {
			t.Errorf("what is started is known as %q", id)
		}
		defer func() {
			if err := guard.Release(); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, reaper.Log)); err != nil || len(text) > 0 {
				t.Errorf("the reaper says %q, %v", text, err)
			}
		}()
	}
}
