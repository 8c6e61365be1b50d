package report

import (
	"testing"

	"github.com/kind-lab/lab/collectors"
)

func TestNodesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`:                                       "node n1 is Ready",
		`{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"DiskPressure","status":"Unknown"},{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}]}}`: "node n1 is not Ready (Unknown: NodeStatusUnknown), DiskPressure is Unknown, cordoned",
		`{}`: "node n1 has not said how it is",
		``:   "node n1 changed",
	} {
		r := collectors.Record{Type: collectors.TypeObject, Object: collectors.Object{Kind: "Node", Name: "n1"}, Content: &collectors.Content{APIVersion: "v1", JSON: []byte(text)}}
		if got := describe(r); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
