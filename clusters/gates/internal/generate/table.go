package main

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// table holds the states of each gate by minor version.
type table struct {
	versions []string
	gates    map[string]map[int]spec
}

func (t *table) add(version string, found map[string]spec) {
	t.versions = append(t.versions, version)
	if t.gates == nil {
		t.gates = map[string]map[int]spec{}
	}
	minor := minorOf(version)
	for gate, s := range found {
		if t.gates[gate] == nil {
			t.gates[gate] = map[int]spec{}
		}
		t.gates[gate][minor] = s
	}
}

func minorOf(version string) int {
	v, _ := clusters.ReleaseOf(version) // of a version of ours
	return v.Minor
}

// text writes the table: a line of the versions, then one for each gate, such
// as "SidecarContainers 28:alpha=false 29-32:beta=true 33-36:ga=true!", where !
// is locked.
func (t *table) text() []byte {
	var b bytes.Buffer
	b.WriteString("# Made by `go generate ./clusters/gates`; do not edit.\n")
	fmt.Fprintf(&b, "versions %s\n", strings.Join(t.versions, " "))
	names := make([]string, 0, len(t.gates))
	for name := range t.gates {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s%s\n", name, t.spans(t.gates[name]))
	}
	return b.Bytes()
}

// spans writes the states of a gate, one for each stretch of versions in which
// it does not change.
func (t *table) spans(states map[int]spec) string {
	var b strings.Builder
	for i := 0; i < len(t.versions); {
		first := minorOf(t.versions[i])
		s, known := states[first]
		last := i
		for last+1 < len(t.versions) {
			next, ok := states[minorOf(t.versions[last+1])]
			if ok != known || known && next.text() != s.text() {
				break
			}
			last++
		}
		if known {
			span := strconv.Itoa(first)
			if last > i {
				span += "-" + strconv.Itoa(minorOf(t.versions[last]))
			}
			b.WriteString(" " + span + ":" + s.text())
		}
		i = last + 1
	}
	return b.String()
}

func (s spec) text() string {
	text := fmt.Sprintf("%s=%t", s.stage, s.on)
	if s.locked {
		text += "!"
	}
	return text
}
