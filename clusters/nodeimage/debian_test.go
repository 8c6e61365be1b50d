package nodeimage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSource(t *testing.T) {
	for _, tc := range []struct{ name, osRelease, says string }{
		{name: "Debian", osRelease: "ID=debian\nVERSION_CODENAME=trixie\n"},
		{name: "no codename", osRelease: "ID=arch\n", says: "names no release of Debian or Ubuntu"},
		{name: "another release than apt's", osRelease: "VERSION_CODENAME=sid\n", says: `apt has no package source for "sid"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, _ := newWorld(t)
			w.write(t, "os-release", tc.osRelease)
			s, err := debian{osRelease: filepath.Join(w.dir, "os-release")}.source(context.Background())
			if tc.says != "" {
				if !errors.Is(err, ErrCannotBuild) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("source: %v, want %q", err, tc.says)
				}
				return
			}
			// Of several archives the first, and only its own components.
			if err != nil || s.mirror != "http://deb.example/debian" || s.suite != "trixie" || !slices.Equal(s.components, []string{"main"}) {
				t.Errorf("source = %+v, %v", s, err)
			}
		})
	}
}

func TestEnsureDebootstrap(t *testing.T) {
	for _, tc := range []struct {
		name     string
		troubles []trouble
		calls    []string
		says     string
	}{
		{name: "installs it", calls: []string{"apt-get install"}},
		{name: "updates the lists when that fails", troubles: []trouble{{Words: "apt-get install", Says: "E: Unable to locate package debootstrap"}},
			calls: []string{"apt-get install", "apt-get update", "apt-get install"}, says: "Unable to locate package"},
		{name: "cannot update", troubles: []trouble{{Words: "apt-get", Says: "E: Could not resolve"}}, calls: []string{"apt-get install", "apt-get update"}, says: "Could not resolve"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, _ := newWorld(t)
			t.Setenv("PATH", filepath.Join(w.dir, "bin"))
			if err := os.Remove(filepath.Join(w.dir, "bin", "debootstrap")); err != nil {
				t.Fatal(err)
			}
			w.troubled(tc.troubles...)
			var said []string
			err := debian{}.ensureDebootstrap(context.Background(), func(text string) { said = append(said, text) })
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ensureDebootstrap: %v, want %q", err, tc.says)
			}
			calls := w.calls("apt-get")
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
	newWorld(t)
	if err := (debian{}).ensureDebootstrap(context.Background(), func(text string) { t.Errorf("said %q", text) }); err != nil {
		t.Error(err)
	}
}

func TestBootstrapShowsItsLog(t *testing.T) {
	w, _ := newWorld(t)
	w.troubled(trouble{Words: "debootstrap --", Says: "W: Failure while installing base packages."})
	root := filepath.Join(w.dir, "root")
	w.write(t, "root/debootstrap/debootstrap.log", strings.Repeat("long ago\n", 500)+"dpkg: error: No space left on device\n")
	err := debian{}.bootstrap(context.Background(), source{suite: "trixie", mirror: "http://deb.example"}, []string{"apt"}, root, func(string) {})
	if !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "dpkg: error") || len(err.Error()) > 3000 {
		t.Errorf("bootstrap: %.300v", err)
	}
}

func TestSlimKeepsLicences(t *testing.T) {
	root := t.TempDir()
	fakeTree(root, map[string]string{
		"usr/share/doc/a/copyright": "x", "usr/share/doc/a/NEWS": "x", "usr/share/man/man1/a.1": "x", "usr/bin/a": "x",
		"usr/lib/systemd/system/sockets.target.wants/systemd-udevd-control.socket": "x", "usr/lib/systemd/system/sockets.target.wants/dbus.socket": "x",
		"etc/systemd/system/getty.target.wants/getty@tty1.service": "x",
	}, map[string]string{"usr/share/doc/b": "a"})
	if err := slim(root); err != nil {
		t.Fatal(err)
	}
	files, err := treeFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		if !f.mode.IsDir() {
			got = append(got, f.path)
		}
	}
	if want := []string{"usr/bin/a", "usr/lib/systemd/system/sockets.target.wants/dbus.socket", "usr/share/doc/a/copyright"}; !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
}
