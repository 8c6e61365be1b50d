package render_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/render"
)

var renderer render.Renderer

// folder makes a file system of paths and texts.
func folder(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// web is a chart with all that a chart can have.
func web() map[string]string {
	return map[string]string{
		"charts/web/Chart.yaml": `apiVersion: v2
name: web
version: 1.2.3
kubeVersion: ">=1.28.0-0"
dependencies:
  - name: cache
    version: 1.x
    condition: cache.enabled
`,
		"charts/web/values.yaml":        "replicas: 1\nimage: web:1\ncache: {enabled: true}\n",
		"charts/web/values.schema.json": `{"type": "object", "properties": {"replicas": {"type": "integer", "minimum": 1}}}`,
		"charts/web/.helmignore":        "*.bak\n",
		"charts/web/crds/crd.yaml":      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\n",
		"charts/web/templates/app.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
  labels: {chart: {{ .Chart.Name }}-{{ .Chart.Version }}, kubernetes: {{ .Capabilities.KubeVersion.Version | quote }}}
spec:
  replicas: {{ .Values.replicas }}
  native: {{ .Capabilities.APIVersions.Has "batch/v1/Job" }}
  found: {{ (lookup "v1" "Pod" "x" "y") | len }}
`,
		"charts/web/templates/account.yaml":             "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n",
		"charts/web/templates/broken.bak":               "{{ .Values.nothing.there }}",
		"charts/web/templates/NOTES.txt":                "Thank you.",
		"charts/web/templates/_helpers.tpl":             `{{ define "x" }}x{{ end }}`,
		"charts/web/templates/before.yaml":              hook("before", "pre-install", 5),
		"charts/web/templates/earlier.yaml":             hook("earlier", "pre-install", -5),
		"charts/web/templates/after.yaml":               hook("after", "post-install", 0),
		"charts/web/templates/try.yaml":                 hook("try", "test", 0),
		"charts/web/charts/cache/Chart.yaml":            "apiVersion: v2\nname: cache\nversion: 1.0.0\n",
		"charts/web/charts/cache/values.yaml":           "size: 1\n",
		"charts/web/charts/cache/templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cache}\ndata: {size: {{ .Values.size | quote }}}\n",
	}
}

func hook(name, event string, weight int) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name + "\n  annotations:\n    helm.sh/hook: " + event +
		"\n    helm.sh/hook-weight: \"" + strconv.Itoa(weight) + "\"\n"
}

func release() value.Release {
	return value.Release{Name: "shop", Namespace: "store", Kubernetes: "1.29.3", APIVersions: []string{"v1", "batch/v1", "batch/v1/Job"}}
}

func text(r value.Rendered) string { return strings.Join(r.Manifests, "---\n") }

// kinds are the kinds and names of documents in their order.
func kinds(t *testing.T, manifests []string) string {
	t.Helper()
	var all []string
	for _, doc := range manifests {
		var kind, name string
		for _, line := range strings.Split(doc, "\n") {
			if rest, ok := strings.CutPrefix(line, "kind: "); ok {
				kind = rest
			}
			if rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "metadata: {"), "name: "); ok && name == "" {
				name = strings.TrimSuffix(rest, "}")
			}
		}
		all = append(all, kind+" "+name)
	}
	return strings.Join(all, ", ")
}

func TestChart(t *testing.T) {
	got, err := renderer.Chart(folder(web()), "charts/web", release())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(t, got.Manifests), "CustomResourceDefinition things.example.com, ServiceAccount web, ConfigMap cache, Deployment shop"; got != want {
		t.Errorf("objects:\n got %s\nwant %s", got, want)
	}
	for _, want := range []string{"namespace: store", "chart: web-1.2.3", `kubernetes: "v1.29.3"`, "replicas: 1", "native: true", "found: 0", "# Source: web/templates/app.yaml"} {
		if !strings.Contains(text(got), want) {
			t.Errorf("no %q in\n%s", want, text(got))
		}
	}
	if got, want := strings.Join(got.Warnings, "; "), "chart web: hooks are left out, as hooks is not true: Job earlier (pre-install), Job before (pre-install), Job after (post-install)"; !sameWords(got, want) {
		t.Errorf("warnings:\n got %s\nwant %s", got, want)
	}
}

func TestHooksOfAnInstallationStandAroundIt(t *testing.T) {
	r := release()
	r.Hooks, r.SkipCRDs = true, true
	got, err := renderer.Chart(folder(web()), "charts/web", r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(t, got.Manifests), "Job earlier, Job before, ServiceAccount web, ConfigMap cache, Deployment shop, Job after"; got != want {
		t.Errorf("objects:\n got %s\nwant %s", got, want)
	}
	if len(got.Warnings) > 0 {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

func TestLaterValuesWin(t *testing.T) {
	r := release()
	r.Values = []any{
		map[string]any{"replicas": 2, "cache": map[string]any{"size": 5}},
		"replicas: 3\n",
		map[string]any{"replicas": int64(1000000)},
	}
	got, err := renderer.Chart(folder(web()), "charts/web", r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"replicas: 1000000\n", `size: "5"`} {
		if !strings.Contains(text(got), want) {
			t.Errorf("no %q in\n%s", want, text(got))
		}
	}
	r.Values = []any{map[string]any{"cache": map[string]any{"enabled": false}}}
	if got, err = renderer.Chart(folder(web()), "charts/web", r); err != nil || strings.Contains(text(got), "ConfigMap") {
		t.Errorf("a subchart that is off is rendered: %v\n%s", err, text(got))
	}
}

func TestChartsThatCannotBeRendered(t *testing.T) {
	for name, test := range map[string]struct {
		change func(files map[string]string, r *value.Release)
		want   string
	}{
		"no folder":       {func(files map[string]string, _ *value.Release) { clear(files) }, `reading chart "charts/web": file does not exist`},
		"no Chart.yaml":   {func(files map[string]string, _ *value.Release) { delete(files, "charts/web/Chart.yaml") }, `folder "charts/web" is not a chart: it has no Chart.yaml`},
		"a wrong version": {func(_ map[string]string, r *value.Release) { r.Kubernetes = "1.27.3" }, "chart web is for Kubernetes >=1.28.0-0, and the cluster has 1.27.3"},
		"no release name": {func(_ map[string]string, r *value.Release) { r.Name = "Not A Name" }, `the release's name "Not A Name": `},
		"a missing subchart": {func(files map[string]string, _ *value.Release) {
			for name := range files {
				if strings.HasPrefix(name, "charts/web/charts/") {
					delete(files, name)
				}
			}
		}, "chart web: the dependency cache is in Chart.yaml, but not in its folder charts: run `helm dependency build`"},
		"values against the schema": {func(_ map[string]string, r *value.Release) { r.Values = []any{map[string]any{"replicas": 0}} }, "minimum: got 0, want 1"},
		"an error in a template": {func(files map[string]string, _ *value.Release) {
			files["charts/web/templates/bad.yaml"] = "a: 1\nb: {{ required \"say what b is\" .Values.b }}\n"
		}, "web/templates/bad.yaml:2:"},
		"a template that does not parse": {func(files map[string]string, _ *value.Release) { files["charts/web/templates/bad.yaml"] = "{{ if }}" }, "web/templates/bad.yaml:1"},
		"what is not YAML":               {func(files map[string]string, _ *value.Release) { files["charts/web/templates/bad.yaml"] = "a: [" }, "a template renders to what is not YAML"},
		"a schema on another machine": {func(files map[string]string, _ *value.Release) {
			files["charts/web/values.schema.json"] = `{"$ref": "https://schemas.example.com/values.json"}`
		}, "https://schemas.example.com/values.json"},
		"a schema in another file": {func(files map[string]string, _ *value.Release) {
			files["charts/web/values.schema.json"] = `{"properties": {"replicas": {"$ref": "file:///etc/hostname#/x"}}}`
		}, "file:///etc/hostname"},
	} {
		t.Run(name, func(t *testing.T) {
			files, r := web(), release()
			test.change(files, &r)
			got, err := renderer.Chart(folder(files), "charts/web", r)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error:\n got %v\nwant %s\nmanifests: %s", err, test.want, text(got))
			}
		})
	}
}

func sameWords(a, b string) bool {
	count := func(s string) map[string]int {
		n := map[string]int{}
		for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
			n[word]++
		}
		return n
	}
	left, right := count(a), count(b)
	if len(left) != len(right) {
		return false
	}
	for word, n := range left {
		if right[word] != n {
			return false
		}
	}
	return true
}

func TestASchemaMayReferToItself(t *testing.T) {
	files := web()
	files["charts/web/values.schema.json"] = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/web.json",
		"$defs": {"n": {"type": "integer"}}, "properties": {"replicas": {"$ref": "https://example.com/web.json#/$defs/n"}, "x": {"$ref": "#/$defs/n"}}}`
	if _, err := renderer.Chart(folder(files), "charts/web", release()); err != nil {
		t.Error(err)
	}
}
