package apply

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // kind/name
		wantErr    string
	}{
		{"one", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", []string{"Pod/a"}, ""},
		{"two and an empty one", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n# nothing\n---\napiVersion: v1\nkind: Pod\nmetadata: {generateName: b-}\n",
			[]string{"Pod/a", "Pod/"}, ""},
		{"a list", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- {apiVersion: v1, kind: Service, metadata: {name: b}}\n",
			[]string{"Pod/a", "Service/b"}, ""},
		{"json", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`, []string{"Pod/a"}, ""},
		{"a key twice", "apiVersion: v1\nkind: Pod\nkind: Job\nmetadata: {name: a}\n", nil, `m, document 1: error converting YAML to JSON`},
		{"second is not YAML", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n\t{", nil, "m, document 2: "},
		{"no kind", "apiVersion: v1\nmetadata: {name: a}\n", nil, "has no kind"},
		{"no name", "apiVersion: v1\nkind: Pod\n", nil, "Pod has no metadata.name"},
		{"nothing", "# only a comment\n", nil, "holds no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := Decode(step.Manifest{Name: "m", Text: tt.text})
			if tt.wantErr != "" {
				var manifest *failure.ManifestError
				if !errors.As(err, &manifest) || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error = %v, want a ManifestError with %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range objects {
				got = append(got, o.GetKind()+"/"+o.GetName())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImagesOfTheCatalogsJobs(t *testing.T) {
	for _, file := range []string{"classic.yaml", "native.yaml"} {
		text, err := os.ReadFile("../../catalog/job-sidecar/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Needs([]step.Manifest{{Name: file, Text: string(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.Needs{Images: []string{"busybox:1.35"}}, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func TestPodsThatGetAtNodes(t *testing.T) {
	for text, want := range map[string][]string{
		"{volumes: [{name: a, hostPath: {path: /var}}]}":                            {"hostPath"},
		"{containers: [{image: a, securityContext: {privileged: true}}]}":           {"privileged"},
		"{hostPID: true, hostIPC: true}":                                            {"hostIPC", "hostPID"},
		"{hostPID: false, containers: [{securityContext: {privileged: false}}]}":    nil,
		"{containers: [{args: [privileged, hostPath]}], volumes: [{emptyDir: {}}]}": nil,
	} {
		got, err := Needs([]step.Manifest{{Name: "m", Text: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + text}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.NodeAccess); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: List\nitems: [1]")
	f.Add("apiVersion: v1\nkind: PodList\nitems:\n- null\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := []step.Manifest{{Name: "m", Text: text}}
		if _, err := Needs(m); err != nil {
			var manifest *failure.ManifestError
			if !errors.As(err, &manifest) {
				t.Errorf("error %v is no ManifestError", err)
			}
		}
	})
}
