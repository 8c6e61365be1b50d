package modules

import (
	"slices"
	"testing"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

func TestSlimKeepsLicences(t *testing.T) {
	root := t.TempDir()
	fakehost.Tree(root, map[string]string{
		"usr/share/doc/a/copyright": "x", "usr/share/doc/a/NEWS": "x", "usr/share/man/man1/a.1": "x", "usr/bin/a": "x",
		"usr/lib/systemd/system/sockets.target.wants/systemd-udevd-control.socket": "x", "usr/lib/systemd/system/sockets.target.wants/dbus.socket": "x",
		"etc/systemd/system/getty.target.wants/getty@tty1.service": "x",
	}, map[string]string{"usr/share/doc/b": "a"})
	if err := slim(root); err != nil {
		t.Fatal(err)
	}
	files, err := oci.ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		if !f.Mode.IsDir() {
			got = append(got, f.Path)
		}
	}
	if want := []string{"usr/bin/a", "usr/lib/systemd/system/sockets.target.wants/dbus.socket", "usr/share/doc/a/copyright"}; !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
}
