package images

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// newEngine is the engine of a world.
func newEngine(t *testing.T, holds fakehost.Engine) (fakehost.World, Engine) {
	t.Helper()
	w := fakehost.New(t)
	if holds.Images == nil {
		holds.Images = map[string]fakehost.Image{}
	}
	w.Put("engine", holds)
	return w, Engine{CLI: clusters.Engine{Name: "docker"}}
}

func TestInspectLeavesOutWhatIsNotThere(t *testing.T) {
	_, e := newEngine(t, fakehost.Engine{Images: map[string]fakehost.Image{"a:1": {ID: "sha256:a", Labels: map[string]string{BuiltLabel: "k"}}}})
	found, err := e.Inspect(t.Context(), "b:2", "a:1")
	if err != nil || len(found) != 1 || found[0].ID != "sha256:a" || found[0].Config.Labels[BuiltLabel] != "k" {
		t.Errorf("Inspect = %+v, %v", found, err)
	}
	for ref, want := range map[string]bool{"a:1": true, "b:2": false} {
		if got, err := e.Has(t.Context(), ref); got != want || err != nil {
			t.Errorf("Has(%q) = %t, %v", ref, got, err)
		}
	}
	if found, err := e.Inspect(t.Context()); found != nil || err != nil {
		t.Errorf("of none: %v, %v", found, err)
	}
}

func TestBuiltAt(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name, created, tagged string
		want                  time.Time
	}{
		{name: "created", created: "2026-01-02T03:04:05Z", tagged: "2027-01-02T03:04:05Z", want: at},
		{name: "reproducible, so named", created: "1970-01-01T00:00:00Z", tagged: "2026-01-02T03:04:05Z", want: at},
		{name: "another zone", created: "2026-01-02T04:04:05.000+01:00", want: at},
		{name: "never named", created: "1970-01-01T00:00:00Z", tagged: "0001-01-01T00:00:00Z"},
		{name: "no times", created: "yesterday"},
	} {
		i := Image{Created: tc.created}
		i.Metadata.LastTagTime = tc.tagged
		if got := i.BuiltAt(); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestVersions(t *testing.T) {
	_, e := newEngine(t, fakehost.Engine{Images: map[string]fakehost.Image{
		"kindest/node:v1.28.15": {ID: "1"}, "kindest/node:v1.29.0": {ID: "2"}, "kindest/node:latest": {ID: "3"}, "kindest/nodes:v1.30.0": {ID: "4"},
	}})
	got, err := e.Versions(t.Context(), "kindest/node")
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for v, ref := range got {
		refs = append(refs, v.String()+" "+ref)
	}
	slices.Sort(refs)
	if diff := cmp.Diff([]string{"1.28.15 kindest/node:v1.28.15", "1.29.0 kindest/node:v1.29.0"}, refs); diff != "" {
		t.Error(diff)
	}
}

func TestBuiltNamesImagesThatLostTheirName(t *testing.T) {
	mark := map[string]string{BuiltLabel: "k"}
	_, e := newEngine(t, fakehost.Engine{Images: map[string]fakehost.Image{
		"a:1": {ID: "sha256:a", Labels: mark}, "sha256:b": {ID: "sha256:b", Labels: mark}, "foreign:1": {ID: "sha256:c"},
	}})
	got, err := e.Built(t.Context())
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a:1", "sha256:b"}, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestUsers(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{Containers: map[string]fakehost.Container{
		"x": {Image: fakehost.Image{ID: "sha256:a"}}, "y": {Image: fakehost.Image{ID: "sha256:a"}}, "z": {Image: fakehost.Image{ID: "sha256:b"}},
	}})
	got, err := e.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range got {
		slices.Sort(names)
	}
	if diff := cmp.Diff(map[string][]string{"sha256:a": {"x", "y"}, "sha256:b": {"z"}}, got); diff != "" {
		t.Error(diff)
	}
	// All went meanwhile.
	w.Troubled(fakehost.Trouble{Words: "container inspect", Says: "Error response from daemon: No such container: x"})
	if got, err := e.Users(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("of containers that went: %v, %v", got, err)
	}
}

func TestSweepRemovesOnlyItsOwn(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{Containers: map[string]fakehost.Container{"lab-build-1": {}, "lab-build-2": {}, "my-lab-build-3": {}}})
	if err := e.Sweep(t.Context(), "lab-build-"); err != nil {
		t.Fatal(err)
	}
	var left fakehost.Engine
	w.Get("engine", &left)
	if got := slices.Sorted(maps.Keys(left.Containers)); !slices.Equal(got, []string{"my-lab-build-3"}) {
		t.Errorf("left: %q", got)
	}
}

// TestWhatIsGoneIsRemoved removes things that another process has just removed,
// in the words of several engines.
func TestWhatIsGoneIsRemoved(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{})
	for says, gone := range map[string]bool{
		"Error response from daemon: No such container: x": true,
		"Error: No such image: x":                          true,
		"Error: x: image not known":                        true,
		"Error: No such object: x":                         true,
		"Error response from daemon: conflict: in use":     false,
		"Cannot connect to the Docker daemon":              false,
	} {
		w.Troubled(fakehost.Trouble{Words: "docker", Says: says})
		for name, err := range map[string]error{"Remove": e.Remove(t.Context(), "x"), "Untag": e.Untag(t.Context(), "x")} {
			if (err == nil) != gone {
				t.Errorf("%s after %q: %v", name, says, err)
			}
		}
	}
}

func TestAnEngineThatDoesNotAnswer(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{})
	w.Troubled(fakehost.Trouble{Words: "docker", Says: "Cannot connect to the Docker daemon"})
	for name, ask := range map[string]func(context.Context) error{
		"Has":         func(ctx context.Context) error { _, err := e.Has(ctx, "a"); return err },
		"Tags":        func(ctx context.Context) error { _, err := e.Tags(ctx, "a"); return err },
		"Versions":    func(ctx context.Context) error { _, err := e.Versions(ctx, "a"); return err },
		"Built":       func(ctx context.Context) error { _, err := e.Built(ctx); return err },
		"Users":       func(ctx context.Context) error { _, err := e.Users(ctx); return err },
		"Sweep":       func(ctx context.Context) error { return e.Sweep(ctx, "a") },
		"SweepMarked": func(ctx context.Context) error { return e.SweepMarked(ctx, "a", "b") },
		"Load":        func(ctx context.Context) error { return e.Load(ctx, strings.NewReader("")) },
	} {
		if err := ask(t.Context()); err == nil || !strings.Contains(err.Error(), "Cannot connect") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if dir := e.DataDir(t.Context()); dir != "" {
		t.Errorf("its folder is %q", dir)
	}
}

func TestHavePullsOnce(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{Remote: []string{"registry.example/a:1"}})
	p := NewPuller(e)
	for range 2 {
		if err := p.Have(t.Context(), "registry.example/a:1", nil); err != nil {
			t.Fatal(err)
		}
	}
	if calls := w.Calls("docker pull"); len(calls) != 1 {
		t.Errorf("pulls: %q", calls)
	}
}

// TestPullsThatFail says which failures keep a registry from being asked again.
func TestPullsThatFail(t *testing.T) {
	for _, tc := range []struct {
		name, says, why string
		silent, noSpace bool
	}{
		{name: "no such image", says: "Error response from daemon: manifest unknown", why: "manifest unknown"},
		{name: "no such host", says: "Error response from daemon: lookup registry.example: no such host", why: "lookup registry.example: no such host", silent: true},
		{name: "a certificate", says: "x509: certificate signed by unknown authority", why: "x509: certificate signed by unknown authority", silent: true},
		{name: "a full disk", says: "write /var/lib/docker/x: no space left on device", noSpace: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, e := newEngine(t, fakehost.Engine{})
			w.Troubled(fakehost.Trouble{Words: "docker pull", Says: tc.says})
			p := NewPuller(e)
			var failed *PullError
			for range 2 {
				err := p.Have(t.Context(), "registry.example/a:1", nil)
				if errors.As(err, &failed) == tc.noSpace || errors.Is(err, store.ErrNoSpace) != tc.noSpace {
					t.Fatalf("Have: %v", err)
				}
			}
			if !tc.noSpace && failed.Why != tc.why {
				t.Errorf("why: %q, want %q", failed.Why, tc.why)
			}
			if got, want := len(w.Calls("docker pull")), map[bool]int{true: 1, false: 2}[tc.silent]; got != want {
				t.Errorf("%d pulls, want %d", got, want)
			}
		})
	}
}

func TestPullFromARegistryThatSaysNothing(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{})
	w.Troubled(fakehost.Trouble{Words: "docker pull", Hang: true})
	p := NewPuller(e)
	p.Patience = time.Millisecond
	var failed *PullError
	if err := p.Have(t.Context(), "registry.example/a:1", nil); !errors.As(err, &failed) || failed.Why != "the registry said nothing for 1ms" {
		t.Errorf("Have: %v", err)
	}
	if p.Registry.Silence("registry.example") == "" {
		t.Error("it would be asked again")
	}
}

func TestPullEndsWithItsContext(t *testing.T) {
	w, e := newEngine(t, fakehost.Engine{})
	w.Troubled(fakehost.Trouble{Words: "docker pull", Hang: true})
	p := NewPuller(e)
	p.Patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Have(ctx, "registry.example/a:1", func(build.Event) {}) }()
	w.Await(t, "hanging")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Have: %v", err)
	}
	if why := p.Registry.Silence("registry.example"); why != "" {
		t.Errorf("the registry is blamed: %s", why)
	}
}

func TestLastLine(t *testing.T) {
	for output, want := range map[string]string{
		"one\nError response from daemon: two\n\n": "two",
		" \n\t\n": "exit",
		"":        "exit",
	} {
		err := &clusters.CommandError{Output: output, Err: errors.New("exit")}
		if got := lastLine(err); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("of %q: %q, want %q", output, got, want)
		}
	}
}
