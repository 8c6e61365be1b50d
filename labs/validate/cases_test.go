package validate

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
)

// found is what is wrong with a scenario, with these files beside it.
func found(t *testing.T, src string, files map[string]string) diag.List {
	t.Helper()
	fsys := fstest.MapFS{"scenario.hcl": {Data: []byte(src)}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	m, list := dsl.LoadFS(fsys, "scenario.hcl", dsl.Options{})
	if list.HasErrors() {
		t.Fatal(list.Error())
	}
	return Check(m)
}

// said is each diagnostic in a line.
func said(list diag.List) []string {
	var lines []string
	for _, d := range list {
		lines = append(lines, strings.ToUpper(d.Severity)+": "+d.Summary+"; "+d.Detail)
	}
	return lines
}

// checkCase holds that nothing is said, or one thing that begins with want.
func checkCase(t *testing.T, list diag.List, want string) {
	t.Helper()
	got := said(list)
	if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
		t.Errorf("got %q, want %q", got, want)
	}
}

const job = `apiVersion: batch/v1
kind: Job
metadata: {name: myapp}
spec:
  template:
    spec:
      containers: [{name: main, image: busybox}]
`

// TestReferences looks at one expression over what other manifests make.
func TestReferences(t *testing.T) {
	object := func(kind, name string) string {
		return strings.NewReplacer("batch/v1", "apps/v1", "Job", kind, "name: myapp", name).Replace(job)
	}
	for name, test := range map[string]struct{ manifest, condition, want string }{
		"a Job":                              {job, `job.myapp.complete`, ""},
		"a pod of a Job":                     {job, `pod["myapp-x7k2p"].container["main"].ready`, ""},
		"a pod of a Deployment":              {object("Deployment", "name: web"), `pod["web-5d-x"].container["main"].ready`, ""},
		"a pod of a StatefulSet":             {object("StatefulSet", "name: db"), `pod["db-0"].container["main"].ready`, ""},
		"another container of a Deployment":  {object("Deployment", "name: web"), `pod["web-5d-x"].container["mian"].ready`, `ERROR: No such container; The pod has no container "mian". Did you mean "main"?`},
		"a pod of another name":              {object("DaemonSet", "name: agent"), `pod["web-x"].ready == "1/1"`, `ERROR: Unknown pod; No step of the scenario applies a pod "web-x".`},
		"a Job with a name that is made":     {object("Job", "generateName: myapp-"), `job["myapp-xyz"].complete`, ""},
		"a Deployment's name that is made":   {object("Deployment", "generateName: web-"), `pod["anything"].ready == "1/1"`, ""},
		"the Job that a pod is taken for":    {job, `pod.myapp.ready == "1/1"`, `ERROR: Unknown pod; No step of the scenario applies a pod "myapp". The pod of the Job is job.myapp.pod.`},
		"an object without a pod":            {"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}", `pod.web.ready == "1/1"`, `ERROR: Unknown pod; No step of the scenario applies a pod "web".`},
		"a pod without its spec":             {"{apiVersion: v1, kind: Pod, metadata: {name: web}}", `pod.web.container["main"].ready`, ""},
		"a list":                             {"{apiVersion: v1, kind: List, items: [" + `{apiVersion: batch/v1, kind: Job, metadata: {name: myapp}}` + "]}", `job.myapp.complete`, ""},
		"an object of a kind of its own":     {"{apiVersion: example.com/v1, kind: Shop, metadata: {name: web}}", `pod.any.container["any"].ready`, ""},
		"an API group of a later Kubernetes": {"{apiVersion: apps/v9, kind: Deployment, metadata: {name: web}}", `job.other.complete`, `ERROR: Unknown job; No step of the scenario applies a Job "other".`},
	} {
		t.Run(name, func(t *testing.T) {
			checkCase(t, found(t, `cluster "c" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.c]
  apply "it" { manifests = file("it.yaml") }
  expect "x" { condition = `+test.condition+` }
}
`, map[string]string{"it.yaml": test.manifest}), test.want)
		})
	}
}

// TestRestartPoliciesOfContainers has a container with its own restartPolicy on
// versions that do not know it, that hide it behind a gate, and that have it.
func TestRestartPoliciesOfContainers(t *testing.T) {
	manifest := func(list string) string {
		other := map[string]string{"initContainers": "containers: [{name: main, image: busybox}]", "containers": ""}[list]
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  " + list + ": [{name: a, image: busybox, restartPolicy: Always}]\n  " + other + "\n"
	}
	const refused, dropped = "ERROR: Field will be refused; ", "WARNING: Field will be dropped; "
	for name, test := range map[string]struct{ cluster, list, step, want string }{
		"a sidecar on 1.27":                              {`kubernetes = "1.27"`, "initContainers", "", refused + "cluster.c (1.27) refuses spec.initContainers[0].restartPolicy."},
		"a sidecar on 1.27, not validated":               {`kubernetes = "1.27"`, "initContainers", `field_validation = "ignore"`, dropped},
		"a sidecar on 1.27, which is to be refused":      {`kubernetes = "1.27"`, "initContainers", "expect_error = true", ""},
		"a sidecar on 1.28":                              {`kubernetes = "1.28"`, "initContainers", "", dropped},
		"a sidecar on 1.28 with its gate":                {"kubernetes = \"1.28\"\nfeature_gates = { SidecarContainers = true }", "initContainers", "", ""},
		"a sidecar on 1.29":                              {`kubernetes = "1.29"`, "initContainers", "", ""},
		"a sidecar on 1.29 without its gate":             {"kubernetes = \"1.29\"\nfeature_gates = { SidecarContainers = false }", "initContainers", "", dropped},
		"a sidecar on several versions":                  {`kubernetes = "~> 1.27"`, "initContainers", "", ""},
		"a container on 1.27":                            {`kubernetes = "1.27"`, "containers", "", refused},
		"a container on 1.33":                            {`kubernetes = "1.33"`, "containers", "", refused},
		"a container on 1.33, not validated":             {`kubernetes = "1.33"`, "containers", `field_validation = "ignore"`, refused},
		"a container on 1.34":                            {`kubernetes = "1.34"`, "containers", "", dropped},
		"a container on 1.34 with the gate of its rules": {"kubernetes = \"1.34\"\nfeature_gates = { ContainerRestartRules = true }", "containers", "", ""},
		"a container on 1.35":                            {`kubernetes = "1.35"`, "containers", "", ""},
		"a container on 1.35 without the gate":           {"kubernetes = \"1.35\"\nfeature_gates = { ContainerRestartRules = false }", "containers", "", dropped},
	} {
		t.Run(name, func(t *testing.T) {
			checkCase(t, found(t, "cluster \"c\" {\n"+test.cluster+"\n}\nscenario \"s\" {\n  clusters = [cluster.c]\n  apply \"it\" {\n    manifests = file(\"it.yaml\")\n    "+test.step+"\n  }\n}\n",
				map[string]string{"it.yaml": manifest(test.list)}), test.want)
		})
	}
}

// TestWhenARejectionIsForeseen applies a container without an image, by all that
// expect_error may be.
func TestWhenARejectionIsForeseen(t *testing.T) {
	const wrong = `Invalid container; Line 7 of the manifest: The container "a" has no image.`
	for name, test := range map[string]struct{ expect, want string }{
		"nothing is said of it":         {"", "ERROR: " + wrong},
		"it is meant":                   {"expect_error = true", ""},
		"by its text":                   {`expect_error = "Required value"`, ""},
		"it is not meant":               {"expect_error = false", "ERROR: " + wrong},
		"null":                          {"expect_error = target.minor == 29 ? null : true", "ERROR: " + wrong},
		"on this version":               {"expect_error = target.minor == 29", ""},
		"on another version":            {"expect_error = target.minor == 28", "ERROR: " + wrong},
		"by a text on another version":  {`expect_error = target.minor == 28 ? "Required" : false`, "ERROR: " + wrong},
		"by the patch, which is open":   {`expect_error = semver(target.kubernetes, ">= 1.29.5")`, "WARNING: " + wrong},
		"by what only the run will see": {`expect_error = step.first.exit_code == 0`, "WARNING: " + wrong},
	} {
		t.Run(name, func(t *testing.T) {
			checkCase(t, found(t, `cluster "c" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.c]
  exec "first" {
    node    = target.nodes[0]
    command = ["true"]
  }
  apply "it" {
    manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [{ name = "a" }] } })
    `+test.expect+`
  }
}
`, nil), test.want)
		})
	}
}

// TestManifestsAreRead reads texts as manifests: what they hold, or the line at
// which they are wrong.
func TestManifestsAreRead(t *testing.T) {
	type read struct {
		Objects []string
		Wrong   string
		Line    int
	}
	for name, test := range map[string]struct {
		text string
		want read
	}{
		"nothing":                {"", read{nil, "it holds no object", 1}},
		"separators alone":       {"---\n---\n", read{nil, "it holds no object", 1}},
		"a comment":              {"# nothing\n", read{nil, "it holds no object", 1}},
		"an object":              {job, read{[]string{"batch/v1 Job myapp"}, "", 0}},
		"several":                {job + "---\n" + job + "---\n", read{[]string{"batch/v1 Job myapp", "batch/v1 Job myapp"}, "", 0}},
		"JSON":                   {`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}`, read{[]string{"v1 Pod web"}, "", 0}},
		"returns at lines' ends": {strings.ReplaceAll(job, "\n", "\r\n"), read{[]string{"batch/v1 Job myapp"}, "", 0}},
		"a list of a kind":       {"{apiVersion: v1, kind: PodList, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: v1, kind: Pod, metadata: {name: b}}]}", read{[]string{"v1 Pod a", "v1 Pod b"}, "", 0}},
		"an empty list":          {"{apiVersion: v1, kind: List, items: []}", read{nil, "it holds no object", 1}},
		"an alias":               {"apiVersion: v1\nkind: Pod\nmetadata: &m {name: web}\nspec: {template: *m}\n", read{[]string{"v1 Pod web"}, "", 0}},
		"an alias of metadata":   {"a: &m {name: web}\napiVersion: v1\nkind: Pod\nmetadata: *m\n", read{[]string{"v1 Pod web"}, "", 0}},
		"null for a name":        {"{apiVersion: v1, kind: Pod, metadata: {name: null}}", read{[]string{"v1 Pod "}, "", 0}},
		"a mapping for a name":   {"{apiVersion: v1, kind: Pod, metadata: {name: {}}}", read{[]string{"v1 Pod "}, "", 0}},
		"text for metadata":      {"{apiVersion: v1, kind: Pod, metadata: web}", read{[]string{"v1 Pod "}, "", 0}},
		"a text":                 {job + "---\nweb\n", read{[]string{"batch/v1 Job myapp"}, "a document must be an object, with apiVersion, kind and metadata", 9}},
		"a list at the top":      {"\n\n- a\n", read{nil, "a document must be an object, with apiVersion, kind and metadata", 3}},
		"a tab":                  {"a:\n\tb: c\n", read{nil, "found character that cannot start any token", 2}},
	} {
		t.Run(name, func(t *testing.T) {
			m := readManifest(test.text)
			got := read{nil, m.wrong, m.line}
			for _, d := range m.documents {
				got.Objects = append(got.Objects, d.apiVersion+" "+d.kind+" "+d.name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
