package images

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	containerregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
)

func TestMain(m *testing.M) { fakehost.Main(m) }

// serve serves a registry with one image and returns the image's name.
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(containerregistry.New(containerregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	ref := strings.TrimPrefix(server.URL, "http://") + "/kindest/base:v1"
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatal(err)
	}
	image, err := random.Image(16, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, image); err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestServes(t *testing.T) {
	there := serve(t)
	for _, tc := range []struct {
		name, ref, says string
		silent          bool
	}{
		{name: "an image that is there", ref: there},
		{name: "one that is not", ref: strings.Replace(there, ":v1", ":v2", 1), says: "404"},
		{name: "a registry that does not answer", ref: "127.0.0.1:1/kindest/base:v1", says: "refused", silent: true},
		{name: "no name", ref: "A:B:C", says: "reading the name of the image"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRegistry()
			err := r.Serves(context.Background(), tc.ref)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Serves(%q) = %v, want %q", tc.ref, err, tc.says)
			}
			if got := len(r.silent) > 0; got != tc.silent {
				t.Errorf("remembered as silent: %v", r.silent)
			}
		})
	}
}

func TestServesEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := newRegistry()
	if err := r.Serves(ctx, serve(t)); !errors.Is(err, context.Canceled) || len(r.silent) > 0 {
		t.Errorf("Serves: %v, silent %v", err, r.silent)
	}
}

func TestSweepMarked(t *testing.T) {
	w := fakehost.New(t)
	w.Put("engine", fakehost.Engine{Containers: map[string]fakehost.Container{
		"kind-build-1": {Env: []string{"NO_PROXY=a,mark.invalid"}}, "kind-build-2": {Env: []string{"NO_PROXY=a"}}, "other": {Env: []string{"mark.invalid"}},
	}})
	if err := (Engine{CLI: clusters.Engine{Name: "docker"}}).SweepMarked(context.Background(), "kind-build-", "mark.invalid"); err != nil {
		t.Fatal(err)
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	if left := slices.Sorted(maps.Keys(e.Containers)); !slices.Equal(left, []string{"kind-build-2", "other"}) {
		t.Errorf("left: %q", left)
	}
}
