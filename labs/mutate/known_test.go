package mutate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

func TestThePoliciesOfManifests(t *testing.T) {
	k := known{policies: map[object]policy{}}
	k.read("kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\nspec: {restartPolicy: Never}\n---\n" +
		"kind: Job\nmetadata: {name: c}\nspec: {template: {spec: {restartPolicy: OnFailure}}}\n---\nkind: Service\nmetadata: {name: a}\n")
	k.read("no: [manifest")
	of := func(name, kind, owner string) *pod {
		p := &pod{object: collectors.Object{Kind: "Pod", Name: name}}
		if kind != "" {
			p.owner = &collectors.Object{Kind: kind, Name: owner}
		}
		return p
	}
	var got []string
	for _, p := range []*pod{of("a", "", ""), of("b", "", ""), of("c-x1", "Job", "c"), of("d", "", ""), of("e-x1", "Job", "e"), of("web-0", "StatefulSet", "web")} {
		policy, sure := k.policyOf(p)
		got = append(got, fmt.Sprint(p.object.Name, " ", policy, " ", sure))
	}
	if want := []string{"a Always true", "b Never true", "c-x1 OnFailure true", "d Always false", "e-x1 Always false", "web-0 Always true"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
