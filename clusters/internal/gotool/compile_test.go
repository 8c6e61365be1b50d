package gotool

import (
	"slices"
	"testing"
)

func TestTheUsersGarbageCollectionIsLeftAsItIs(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		set := func(asked string) (string, bool) { return "", asked == name }
		if got := collectSeldom(set); got != nil {
			t.Errorf("with %s set: %v", name, got)
		}
	}
	none := func(string) (string, bool) { return "", false }
	if got := collectSeldom(none); len(got) != 2 {
		t.Errorf("with none set: %v", got)
	}
}

func TestCompileWatch(t *testing.T) {
	var said []string
	w := &compileWatch{say: func(text string) { said = append(said, text) }, total: 7}
	shown := map[string]bool{}
	for _, line := range []string{"go: downloading k8s.io/api v0.28.15", "k8s.io/api/core/v1", "# k8s.io/api/core/v1", "types.go:1:2: undefined: x"} {
		shown[line] = w.line(line)
	}
	if want := []string{"downloading k8s.io/api v0.28.15", "compiled 1 of at most 7 packages, at k8s.io/api/core/v1"}; !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	if shown["k8s.io/api/core/v1"] || !shown["# k8s.io/api/core/v1"] || !shown["types.go:1:2: undefined: x"] {
		t.Errorf("in an error: %v", shown)
	}
}
