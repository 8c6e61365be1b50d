package text

import (
	"encoding/json"

	"github.com/kind-lab/lab/collectors"
)

// nodeText is a node's state in a line: whether it is ready, what presses it,
// and whether pods are scheduled to it.
func nodeText(content *collectors.Content) string {
	var node struct {
		Spec struct {
			Unschedulable bool `json:"unschedulable"`
		} `json:"spec"`
		Status struct {
			Conditions []struct{ Type, Status, Reason string } `json:"conditions"`
		} `json:"status"`
	}
	if json.Unmarshal(content.JSON, &node) != nil {
		return "changed"
	}
	text := "has not reported its state"
	more := ""
	for _, c := range node.Status.Conditions {
		switch {
		case c.Type == "Ready" && c.Status == "True":
			text = "is Ready"
		case c.Type == "Ready":
			text = "is not Ready (" + c.Status + ": " + c.Reason + ")"
		case c.Status != "False":
			more += ", " + c.Type + " is " + c.Status
		}
	}
	if node.Spec.Unschedulable {
		more += ", cordoned"
	}
	return text + more
}
