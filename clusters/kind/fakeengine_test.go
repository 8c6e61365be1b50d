package kind

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/kind/internal/fakeengine"
)

// behaviour is how a fake engine acts.
type behaviour = fakeengine.Behaviour

// TestMain builds the fake engine's client: a program of its own, since it is
// started some fifty times for a cluster.
func TestMain(m *testing.M) {
	os.Exit(withFakeClient(m))
}

func withFakeClient(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fakeengine")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	client := filepath.Join(dir, "docker")
	if out, err := exec.Command("go", "build", "-o", client, "./internal/fakeengine/docker").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the fake engine: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(fakeClient, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// fakeClient names the folder of the fake engine's client.
const fakeClient = "LAB_FAKE_CLIENT"

// fakeEngine is a docker client on the PATH whose containers are files.
type fakeEngine struct {
	t   *testing.T
	dir string
}

func newFakeEngine(t *testing.T, b behaviour) *fakeEngine {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", os.Getenv(fakeClient)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(fakeengine.State, dir)
	f := &fakeEngine{t: t, dir: dir}
	f.behave(b)
	return f
}

func (f *fakeEngine) behave(b behaviour) {
	text, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(filepath.Join(f.dir, "behaviour"), text, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fakeEngine) engine() clusters.Engine { return clusters.Engine{Name: "docker"} }

// left are the containers and volumes that there are.
func (f *fakeEngine) left() []string {
	found, err := filepath.Glob(filepath.Join(f.dir, "*.*"))
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// calls are the command lines that the engine got, without its name.
func (f *fakeEngine) calls() []string {
	text, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (f *fakeEngine) add(name, cluster, role string) {
	if err := fakeengine.AddContainer(f.dir, name, map[string]string{clusterLabel: cluster, roleLabel: role}); err != nil {
		f.t.Fatal(err)
	}
}
