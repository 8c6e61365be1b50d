package runtime

import (
	"encoding/json"

	"github.com/kind-lab/lab/collectors"
)

// note is what annotate.pl says of a container: whose it is, or whether the
// kernel's log says that it killed in it because memory ran out.
type note struct {
	ID        string `json:"id"`
	Sandbox   bool   `json:"sandbox"`
	Pod       string `json:"pod"`
	Namespace string `json:"namespace"`
	UID       string `json:"uid"`
	Container string `json:"container"`
	OOM       bool   `json:"oom"`
}

// parseNote reads a note. One that cannot be read is empty, and no loss: the node is
// asked then.
func parseNote(text string) note {
	var read note
	if json.Unmarshal([]byte(text), &read) != nil {
		return note{}
	}
	return read
}

// take takes from a note whose a container is. If the node is being asked that, it
// need not answer any more.
func (n *node) take(said note) {
	switch {
	case said.ID == "":
	case said.Sandbox:
		n.lookups[said.ID] = known(nil)
	case said.Pod != "" && said.Namespace != "" && said.UID != "" && said.Container != "":
		n.lookups[said.ID] = known(&identity{
			pod:       collectors.Object{Kind: "Pod", Namespace: said.Namespace, Name: said.Pod, UID: said.UID},
			container: said.Container,
		})
	}
}
