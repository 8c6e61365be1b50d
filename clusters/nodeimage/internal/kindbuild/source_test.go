package kindbuild

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
)

func TestParseSource(t *testing.T) {
	w := fakehost.New(t)
	tree := w.KubernetesTree(t, "v1.31.0")
	w.Write(t, "server.tar.gz", "x")
	w.Mkdir(t, "folder")
	for _, tc := range []struct {
		name, text string
		want       Source
		says       string
	}{
		{name: "a release", text: "release", want: Source{Kind: Release}},
		{name: "a URL", text: "https://example.org/a.tar.gz", want: Source{Kind: URL, Where: "https://example.org/a.tar.gz"}},
		{name: "a file", text: filepath.Join(w.Dir, "server.tar.gz"), want: Source{Kind: File, Where: filepath.Join(w.Dir, "server.tar.gz")}},
		{name: "a source tree", text: tree, want: Source{Kind: Tree, Where: tree}},
		{name: "another folder", text: filepath.Join(w.Dir, "folder"), says: "it has no go.mod of the module k8s.io/kubernetes"},
		{name: "nothing", text: "relase", says: `"relase" is no file or folder; write "release" or "modules"`},
		{name: "a URL without a host", text: "https:///a", says: "is no file or folder"},
	} {
		got, err := ParseSource(tc.text)
		if (err != nil) != (tc.says != "") || err != nil && (!errors.Is(err, ErrBadSource) || !strings.Contains(err.Error(), tc.says)) || got != tc.want {
			t.Errorf("%s: %+v, %v; want %+v, %q", tc.name, got, err, tc.want, tc.says)
		}
	}
}

func TestNewest(t *testing.T) {
	for _, tc := range []struct{ name, constraint, want, says string }{
		{name: "that one", constraint: "1.28.9", want: "1.28.9"},
		{name: "of a minor version", constraint: "1.28", want: "1.28.15"},
		{name: "of later patches", constraint: "~> 1.28.3", want: "1.28.15"},
		{name: "of later minor versions", constraint: "~> 1.28", want: "1.29.3"},
		{name: "not released", constraint: "1.28.99", says: "release 1.28.99: http://127.0.0.1"},
		{name: "a minor version that is not there", constraint: "1.99", says: "it is not there (404 Not Found)"},
		{name: "nothing new enough", constraint: "~> 1.28.30", says: `names "v1.28.15" as the newest release, which does not match "~> 1.28.30"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, k := newBuilder(t, "1.28.9", "1.28.15", "1.29.3")
			c, err := clusters.ParseConstraint(tc.constraint)
			if err != nil {
				t.Fatal(err)
			}
			v, err := k.Newest(context.Background(), c)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) || err == nil && v.String() != tc.want {
				t.Errorf("Newest(%q) = %s, %v; want %s, %q", tc.constraint, v, err, tc.want, tc.says)
			}
		})
	}
}

func TestASilentServerIsAskedOnce(t *testing.T) {
	_, k := newBuilder(t)
	k.Downloads = Downloads{Base: "http://127.0.0.1:1", Patience: time.Second}
	c, err := clusters.ParseConstraint("1.28")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := k.Newest(context.Background(), c); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1 does not answer") {
			t.Errorf("Newest: %v", err)
		}
	}
	if why := k.puller.Registry.Silence("downloads of 127.0.0.1:1"); why == "" {
		t.Error("the silence is forgotten")
	}
}
