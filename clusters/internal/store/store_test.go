package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestStageKey(t *testing.T) {
	keys := map[string]bool{}
	for _, inputs := range [][]string{nil, {""}, {"a", "b"}, {"ab"}, {"a", "", "b"}} {
		keys[Key("x", inputs)] = true
	}
	keys[Key("y", nil)] = true
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 stages", len(keys))
	}
}

func TestMountBelow(t *testing.T) {
	const mountinfo = `22 1 254:0 / / rw - ext4 /dev/vda rw
23 22 0:5 / /proc rw - proc proc rw
24 22 0:6 / /cache/part/userland-1/rootfs/proc rw - proc proc rw
25 22 0:7 / /with\040blank/x rw - tmpfs x rw
short line
`
	for _, tc := range []struct{ name, dir, want string }{
		{"above a mount", "/cache/part/userland-1", "/cache/part/userland-1/rootfs/proc"},
		{"a mount itself", "/proc", "/proc"},
		{"with a slash", "/cache/part/userland-1/rootfs/", "/cache/part/userland-1/rootfs/proc"},
		{"beside a mount", "/cache/part/userland-10", ""},
		{"a name that begins alike", "/pro", ""},
		{"below a mount", "/proc/1", ""},
		{"with a blank", "/with blank", "/with blank/x"},
		{"the root", "/", "/"},
	} {
		if got := mountBelow(mountinfo, tc.dir); got != tc.want {
			t.Errorf("%s: mountBelow(%q) = %q, want %q", tc.name, tc.dir, got, tc.want)
		}
	}
}

func TestRemoveTreeOfNothing(t *testing.T) {
	if err := RemoveTree(filepath.Join(t.TempDir(), "nothing")); err != nil {
		t.Error(err)
	}
}

func TestFinishReplaces(t *testing.T) {
	s := Store{Root: t.TempDir()}
	for _, text := range []string{"one", "two"} {
		part, err := s.Begin(NodeImages, "x", "1")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(part, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Find("x", "1"); ok != (text == "two") {
			t.Errorf("before %q is finished: found %v", text, ok)
		}
		if _, err := s.Finish(part, Part{Name: "x", Kind: "x", Key: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	dir, ok := s.Find("x", "1")
	data, err := os.ReadFile(filepath.Join(dir, "f"))
	if !ok || err != nil || string(data) != "two" {
		t.Errorf("found %v: %q, %v", ok, data, err)
	}
	metas, err := s.List()
	if err != nil || len(metas) != 1 || metas[0].Bytes != 3 {
		t.Errorf("list = %+v, %v", metas, err)
	}
}

func TestLockEndsWithItsContext(t *testing.T) {
	s := Store{Root: t.TempDir()}
	unlock, err := s.Lock(context.Background(), NodeImages, "the first", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := s.Lock(ctx, NodeImages, "the second", func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a lock that somebody holds: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Lock(context.Background(), NodeImages, "the third", func(holder string) { t.Errorf("waits for %q", holder) })
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// TestPodImagesDoNotWait makes a pod's image while a node image is built.
func TestPodImagesDoNotWait(t *testing.T) {
	s := Store{Root: t.TempDir()}
	unlock, err := s.Lock(context.Background(), NodeImages, "building a node image", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	node, err := s.Begin(NodeImages, "kubernetes", "1")
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Lock(context.Background(), PodImages, "building busybox", func(holder string) { t.Errorf("waits for %q", holder) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(PodImages, "busybox", "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(node); err != nil {
		t.Errorf("what the node image's build had made is gone: %v", err)
	}
	if err := errors.Join(unlock(), other()); err != nil {
		t.Error(err)
	}
}

func TestStoreIgnoresStrangers(t *testing.T) {
	s := Store{Root: t.TempDir()}
	for name, text := range map[string]string{"etcd-1/stage.json": `{"kind":"etcd","key":"2"}`, "etcd-2/stage.json": `{`, "README/x": "x"} {
		name = filepath.Join(s.Root, StagesDir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if metas, err := s.List(); err != nil || len(metas) > 0 {
		t.Errorf("list = %v, %v", metas, err)
	}
}
