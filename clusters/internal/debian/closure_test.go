package debian

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

func TestClosureFollowsLinks(t *testing.T) {
	root := t.TempDir()
	if code := fakehost.Tree(root, map[string]string{"usr/bin/dash": "dash", "usr/sbin/multi": "multi", "etc/alternatives/README": "x"}, map[string]string{
		"bin": "usr/bin", "usr/bin/sh": "dash", "sbin": "/usr/sbin", "usr/sbin/tool": "/etc/alternatives/tool", "etc/alternatives/tool": "../../usr/sbin/multi",
		"usr/bin/outside": "../../../../../usr/bin/dash", "usr/bin/a": "b", "usr/bin/b": "a",
	}); code != 0 {
		t.Fatal(code)
	}
	for _, tc := range []struct {
		name, add string
		want      []string
		says      string
	}{
		{name: "a file", add: "/usr/bin/dash", want: []string{"usr/bin/dash"}},
		{name: "a folder that is a link", add: "/bin/sh", want: []string{"bin -> usr/bin", "usr/bin/dash", "usr/bin/sh -> dash"}},
		{name: "absolute links", add: "sbin/tool", want: []string{"etc/alternatives/tool -> ../../usr/sbin/multi", "sbin -> /usr/sbin", "usr/sbin/multi", "usr/sbin/tool -> /etc/alternatives/tool"}},
		{name: "a link that leads out stays in", add: "usr/bin/outside", want: []string{"usr/bin/dash", "usr/bin/outside -> ../../../../../usr/bin/dash"}},
		{name: "a circle ends", add: "usr/bin/a", want: []string{"usr/bin/a -> b", "usr/bin/b -> a"}},
		{name: "nothing there", add: "usr/bin/nothing", says: "usr/bin/nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := NewClosure(root)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Add(tc.add)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("add(%q) = %v, want %q", tc.add, err, tc.says)
			}
			if got := described(c.List()); tc.says == "" && !slices.Equal(got, tc.want) {
				t.Errorf("gathered %q, want %q", got, tc.want)
			}
		})
	}
}

func described(files []oci.File) []string {
	var got []string
	for _, f := range files {
		text := f.Path
		if f.Link != "" {
			text += " -> " + f.Link
		}
		got = append(got, text)
	}
	return got
}

func TestClosureOfARealProgram(t *testing.T) {
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClosure("/")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add(shell); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := oci.WriteTree(copied, c.List()); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(described(c.List()), "\n")
	for _, want := range []string{"libc.so", "ld-linux"} {
		if !strings.Contains(all, want) {
			t.Errorf("the shell came without %s:\n%s", want, all)
		}
	}
	if _, err := os.Stat(filepath.Join(copied, shell)); err != nil {
		t.Error(err)
	}
}

func TestClosureNeedsALibrary(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	// The loader of a real program is not there.
	if err := oci.WriteTree(root, []oci.File{{Path: "usr/bin/sh", Mode: 0o755, Data: shell}, {Path: "lib64/x", Data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	c, err := NewClosure(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add("usr/bin/sh"); err == nil {
		t.Error("a program without its loader was gathered")
	}
}
