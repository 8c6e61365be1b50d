package podimage

import (
	"context"
	"slices"
	"testing"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
)

func TestMatchesTag(t *testing.T) {
	for _, tc := range []struct {
		version, tag string
		want         bool
	}{
		{"1:1.35.0-4+deb12u1+b1", "1.35", true},
		{"1:1.35.0-4+deb12u1+b1", "1.35.0", true},
		{"1.35.0", "1", true},
		{"1:1.35.0-4", "1.3", false},
		{"1:1.35.0-4", "1.35.0-4", false},
		{"1:1.35.0-4", "1.35-musl", false},
		{"1:1.35.0-4", "latest", true},
		{"1:1.35.0-4", "stable", true},
	} {
		if got := matchesTag(tc.version, tc.tag); got != tc.want {
			t.Errorf("matchesTag(%q, %q) = %v", tc.version, tc.tag, got)
		}
	}
}

func TestBusyboxImage(t *testing.T) {
	w := fakehost.New(t)
	p := PodsOf(t, w)
	if err := p.Ensure(context.Background(), "busybox:1.35", nil); err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	fakehost.Tree(tree, map[string]string{"bin/busybox": "#!/bin/sh\nprintf 'busybox\\nsh\\nsleep\\nseq\\n'\n"}, nil)
	files, err := busyboxFiles(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		text := f.Path
		if f.Link != "" {
			text += " -> " + f.Link
		}
		got = append(got, text)
	}
	for _, want := range []string{"bin/busybox", "bin/sh -> busybox", "bin/sleep -> busybox", "usr/bin/env -> /bin/busybox", "tmp", "etc/passwd"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
