package nodeimage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClosureFollowsLinks(t *testing.T) {
	root := t.TempDir()
	if code := fakeTree(root, map[string]string{"usr/bin/dash": "dash", "usr/sbin/multi": "multi", "etc/alternatives/README": "x"}, map[string]string{
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
			c, err := newClosure(root)
			if err != nil {
				t.Fatal(err)
			}
			err = c.add(tc.add)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("add(%q) = %v, want %q", tc.add, err, tc.says)
			}
			if got := described(c.list()); tc.says == "" && !slices.Equal(got, tc.want) {
				t.Errorf("gathered %q, want %q", got, tc.want)
			}
		})
	}
}

func described(files []layerFile) []string {
	var got []string
	for _, f := range files {
		text := f.path
		if f.link != "" {
			text += " -> " + f.link
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
	c, err := newClosure("/")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.add(shell); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := writeTree(copied, c.list()); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(described(c.list()), "\n")
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
	if err := writeTree(root, []layerFile{{path: "usr/bin/sh", mode: 0o755, data: shell}, {path: "lib64/x", data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	c, err := newClosure(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.add("usr/bin/sh"); err == nil {
		t.Error("a program without its loader was gathered")
	}
}
