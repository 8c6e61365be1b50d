// Package gates knows the feature gates of the supported Kubernetes versions:
// which there are, their stage, their default and whether they are locked to
// it. The table is made from the sources of Kubernetes' own modules.
package gates

import (
	_ "embed"
	"sort"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

//go:generate go run ./internal/generate

//go:embed gates.txt
var text string

// State is the state of a gate in one minor version.
type State struct {
	// Stage is "alpha", "beta", "ga" or "deprecated".
	Stage string
	// Default is whether it is on where nobody sets it.
	Default bool
	// Locked says that it cannot be set to anything else: the component does
	// not start.
	Locked bool
}

// Table holds the gates of all versions. It may be used by several goroutines.
type Table struct {
	releases map[int]string
	minors   []int
	gates    map[string]map[int]State
}

// Load returns the table.
func Load() *Table {
	t := &Table{releases: map[int]string{}, gates: map[string]map[int]State{}}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "versions":
			for _, release := range words[1:] {
				v, err := clusters.ReleaseOf(release)
				if err != nil {
					v.Minor = -1 // a test holds the table to its form
				}
				t.releases[v.Minor] = release
				t.minors = append(t.minors, v.Minor)
			}
		default:
			t.gates[words[0]] = states(words[1:])
		}
	}
	return t
}

// states reads words such as "29-32:beta=true!".
func states(words []string) map[int]State {
	all := map[int]State{}
	for _, word := range words {
		span, state, _ := strings.Cut(word, ":")
		stage, on, _ := strings.Cut(state, "=")
		first, last, several := strings.Cut(span, "-")
		if !several {
			last = first
		}
		for minor := number(first); minor <= number(last); minor++ {
			all[minor] = State{Stage: stage, Default: strings.TrimSuffix(on, "!") == "true", Locked: strings.HasSuffix(on, "!")}
		}
	}
	return all
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1 // a test holds the table to its form
	}
	return n
}

// Minors returns the minor versions that the table knows, ascending.
func (t *Table) Minors() []int { return append([]int(nil), t.minors...) }

// Release returns the release that was read for a minor version, such as
// "1.28.15"; empty where there was none.
func (t *Table) Release(minor int) string { return t.releases[minor] }

// Lookup returns the state of a gate in a minor version; false where that
// version does not know it: a component that is given it does not start.
func (t *Table) Lookup(minor int, gate string) (State, bool) {
	s, ok := t.gates[gate][minor]
	return s, ok
}

// Known returns the minor versions that know a gate, ascending.
func (t *Table) Known(gate string) []int {
	var minors []int
	for minor := range t.gates[gate] {
		minors = append(minors, minor)
	}
	sort.Ints(minors)
	return minors
}

// Names returns the gates that a minor version knows, sorted.
func (t *Table) Names(minor int) []string {
	var names []string
	for name, states := range t.gates {
		if _, ok := states[minor]; ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
