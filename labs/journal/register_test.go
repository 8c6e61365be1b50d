package journal

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRegisteredRunsAreThoseThatGoOn(t *testing.T) {
	host := filepath.Join(t.TempDir(), "runs")
	if alive, err := Registered(host); err != nil || len(alive) > 0 {
		t.Fatalf("of nothing: %v, %v", alive, err)
	}
	open := func(id string) *Journal {
		j, err := Create(t.TempDir(), id)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	on, over := open("on"), open("over")
	defer on.Close()
	if _, err := Register(host, on.Dir()); err != nil {
		t.Fatal(err)
	}
	if _, err := Register(host, over.Dir()); err != nil {
		t.Fatal(err)
	}
	release, err := Register(host, filepath.Join(t.TempDir(), "ended"))
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := Register(host, filepath.Join(t.TempDir(), "removed")); err != nil {
		t.Fatal(err)
	}
	if err := over.Close(); err != nil {
		t.Fatal(err)
	}
	alive, err := Registered(host)
	if err != nil || !slices.Equal(alive, []string{"on"}) {
		t.Errorf("alive are %v, %v", alive, err)
	}
	if left, err := os.ReadDir(host); err != nil || len(left) != 1 {
		t.Errorf("%d notes are left, %v", len(left), err)
	}
}
