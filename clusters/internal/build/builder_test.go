package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestStage(t *testing.T) {
	var states []string
	b := &Builder{Store: store.Store{Root: t.TempDir()}, Beat: time.Hour, Steps: 3, Progress: func(e Event) { states = append(states, e.State) }}
	broken := errors.New("it broke")
	made := 0
	stage := func(fails error) Stage {
		return Stage{Kind: "x", Name: "x 1", Inputs: []string{"1"}, Make: func(_ context.Context, dir string, _ func(string)) error {
			made++
			return errors.Join(fails, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644))
		}}
	}
	if _, err := b.Stage(context.Background(), stage(broken)); !errors.Is(err, broken) || err.Error() != "building x 1: it broke" {
		t.Errorf("a stage that fails: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(b.Store.Root, store.NodeImages.PartDir())); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	for range 2 {
		dir, err := b.Stage(context.Background(), stage(nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
			t.Error(err)
		}
	}
	if made != 2 || !slices.Equal(states, []string{Running, Running, Done, Cached}) {
		t.Errorf("made %d times, said %q", made, states)
	}
}

// TestStageEndsWithItsContext looks at a stage that does not notice that it was
// cancelled: what it made is not kept.
func TestStageEndsWithItsContext(t *testing.T) {
	b := &Builder{Store: store.Store{Root: t.TempDir()}, Beat: time.Hour}
	ctx, cancel := context.WithCancel(context.Background())
	s := Stage{Kind: "x", Name: "x", Make: func(context.Context, string, func(string)) error { cancel(); return nil }}
	if _, err := b.Stage(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Stage: %v", err)
	}
	if _, ok := b.Store.Find("x", s.Key()); ok {
		t.Error("a cancelled stage is kept")
	}
}
