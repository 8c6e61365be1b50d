package document

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"github.com/kind-lab/lab/collectors"
)

// maxSnapshots bounds the snapshots of a pod: the first half of them are its
// first states, the others its last.
const maxSnapshots = 200

// snapshotFold keeps the states of a pod: those that were kept as YAML, or what
// the journal says of each where none was.
type snapshotFold struct {
	files, states ends
	last          []byte
}

// ends are the first and the last of many.
type ends struct{ first, last []Snapshot }

func (e *ends) add(s Snapshot) {
	if len(e.first) < maxSnapshots/2 {
		e.first = append(e.first, s)
		return
	}
	e.last = append(e.last, s)
	if len(e.last) > maxSnapshots-maxSnapshots/2 {
		e.last[0] = Snapshot{}
		e.last = e.last[1:]
	}
}

func (f *snapshotFold) file(s Snapshot) { f.files.add(s) }

// state notes a state as the journal has it, clean, unless nothing changed.
func (f *snapshotFold) state(at Instant, state collectors.Pod) {
	state.ResourceVersion = ""
	now, err := json.Marshal(state)
	if err != nil || bytes.Equal(now, f.last) {
		return
	}
	f.last = now
	f.states.add(Snapshot{Instant: at, Title: state.Status, YAML: string(now)})
}

func (f *snapshotFold) all() []Snapshot {
	if files := append(f.files.first, f.files.last...); len(files) > 0 {
		return files
	}
	states := append(f.states.first, f.states.last...)
	for i, s := range states {
		states[i].YAML = journalYAML(s.YAML)
	}
	return states
}

// journalNote says what a snapshot is that was made of the journal.
const journalNote = "# What the journal recorded of the pod. Only the folder of the run has the YAML that the API sent.\n"

// journalYAML is JSON as YAML, in the same order.
func journalYAML(state string) string {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(state), &node); err != nil {
		return state
	}
	plainStyle(&node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return state
	}
	return journalNote + out.String()
}

// plainStyle takes JSON's brackets and quotes away.
func plainStyle(node *yaml.Node) {
	node.Style = 0
	for _, n := range node.Content {
		plainStyle(n)
	}
}
