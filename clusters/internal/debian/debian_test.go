package debian

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestMain(m *testing.M) { fakehost.Main(m) }

func TestSource(t *testing.T) {
	for _, tc := range []struct{ name, osRelease, says string }{
		{name: "Debian", osRelease: "ID=debian\nVERSION_CODENAME=trixie\n"},
		{name: "no codename", osRelease: "ID=arch\n", says: "names no release of Debian or Ubuntu"},
		{name: "another release than apt's", osRelease: "VERSION_CODENAME=sid\n", says: `apt has no package source for "sid"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := fakehost.New(t)
			w.Write(t, "os-release", tc.osRelease)
			s, err := System{OSRelease: filepath.Join(w.Dir, "os-release")}.Source(context.Background())
			if tc.says != "" {
				if !errors.Is(err, build.ErrCannotBuild) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("source: %v, want %q", err, tc.says)
				}
				return
			}
			// Of several archives the first, and only its own components.
			if err != nil || s.mirror != "http://deb.example/debian" || s.Suite != "trixie" || !slices.Equal(s.components, []string{"main"}) {
				t.Errorf("source = %+v, %v", s, err)
			}
		})
	}
}

func TestEnsureDebootstrap(t *testing.T) {
	for _, tc := range []struct {
		name     string
		troubles []fakehost.Trouble
		calls    []string
		says     string
	}{
		{name: "installs it", calls: []string{"apt-get install"}},
		{name: "updates the lists when that fails", troubles: []fakehost.Trouble{{Words: "apt-get install", Says: "E: Unable to locate package debootstrap"}},
			calls: []string{"apt-get install", "apt-get update", "apt-get install"}, says: "Unable to locate package"},
		{name: "cannot update", troubles: []fakehost.Trouble{{Words: "apt-get", Says: "E: Could not resolve"}}, calls: []string{"apt-get install", "apt-get update"}, says: "Could not resolve"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := fakehost.New(t)
			t.Setenv("PATH", filepath.Join(w.Dir, "bin"))
			if err := os.Remove(filepath.Join(w.Dir, "bin", "debootstrap")); err != nil {
				t.Fatal(err)
			}
			w.Troubled(tc.troubles...)
			var said []string
			err := System{}.EnsureDebootstrap(context.Background(), func(text string) { said = append(said, text) })
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ensureDebootstrap: %v, want %q", err, tc.says)
			}
			calls := w.Calls("apt-get")
			if len(calls) != len(tc.calls) || !slices.Equal(said, []string{"installing debootstrap"}) {
				t.Fatalf("calls %q, said %q", calls, said)
			}
			for i, call := range calls {
				if !strings.HasPrefix(call, tc.calls[i]) {
					t.Errorf("call %d was %q, want %q", i, call, tc.calls[i])
				}
			}
		})
	}
	fakehost.New(t)
	if err := (System{}).EnsureDebootstrap(context.Background(), func(text string) { t.Errorf("said %q", text) }); err != nil {
		t.Error(err)
	}
}

func TestBootstrapShowsItsLog(t *testing.T) {
	w := fakehost.New(t)
	w.Troubled(fakehost.Trouble{Words: "debootstrap --", Says: "W: Failure while installing base packages."})
	root := filepath.Join(w.Dir, "root")
	w.Write(t, "root/debootstrap/debootstrap.log", strings.Repeat("long ago\n", 500)+"dpkg: error: No space left on device\n")
	err := System{}.Bootstrap(context.Background(), Source{Suite: "trixie", mirror: "http://deb.example"}, []string{"apt"}, root, func(string) {})
	if !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), "dpkg: error") || len(err.Error()) > 3000 {
		t.Errorf("bootstrap: %.300v", err)
	}
}
