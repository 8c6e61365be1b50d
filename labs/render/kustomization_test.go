package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func base() map[string]string {
	return map[string]string{
		"k/base/kustomization.yaml": "resources: [app.yaml, ns.yaml]\nconfigMapGenerator:\n- name: settings\n  files: [settings.txt]\n  literals: ['home=https://example.com/']\n",
		"k/base/app.yaml":           "apiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: main, image: app:1}]}\n",
		"k/base/ns.yaml":            "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
		"k/base/settings.txt":       "a=1\n",
		"k/prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\nimages: [{name: app, newTag: '2'}]\n",
	}
}

// noGit makes the test fail if git is run.
func noGit(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho \"$@\" >>"+ran+"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Cleanup(func() {
		if args, err := os.ReadFile(ran); err == nil {
			t.Errorf("git was run: %s", args)
		}
	})
}

func TestKustomization(t *testing.T) {
	got, err := renderer.Kustomization(folder(base()), "k/prod", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(t, got.Manifests), "Namespace"; !strings.HasPrefix(got, want) {
		t.Errorf("a Namespace is the first: got %s", got)
	}
	for _, want := range []string{"name: prod-app", "image: app:2", "home: https://example.com/", "name: prod-settings-"} {
		if !strings.Contains(text(got), want) {
			t.Errorf("no %q in\n%s", want, text(got))
		}
	}
}

func TestAnOverlayIsLaidOverAKustomization(t *testing.T) {
	got, err := renderer.Kustomization(folder(base()), "k/base", map[string]any{
		"images":  []any{map[string]any{"name": "app", "newName": "other", "newTag": "3"}},
		"patches": []any{map[string]any{"target": map[string]any{"kind": "Pod"}, "patch": "- {op: add, path: /spec/hostname, value: here}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"image: other:3", "hostname: here"} {
		if !strings.Contains(text(got), want) {
			t.Errorf("no %q in\n%s", want, text(got))
		}
	}
}

func TestDeprecatedFieldsAreWarnedOf(t *testing.T) {
	files := base()
	files["k/prod/kustomization.yaml"] = "bases: [../base]\npatchesStrategicMerge:\n- |-\n  apiVersion: v1\n  kind: Pod\n  metadata: {name: app}\n  spec: {hostname: here}\n"
	got, err := renderer.Kustomization(folder(files), "k/prod", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text(got), "hostname: here") {
		t.Errorf("the patch was not made:\n%s", text(got))
	}
	if all := strings.Join(got.Warnings, "\n"); !strings.Contains(all, "k/prod/kustomization.yaml: 'bases' is deprecated") || !strings.Contains(all, "patchesStrategicMerge") {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

func TestNothingIsFetchedForAKustomization(t *testing.T) {
	const where = "a kustomization is built from what is on disk alone"
	for name, test := range map[string]struct{ text, want string }{
		"a base":                        {"resources: ['https://github.com/a/b//config?ref=v1']", where},
		"a base by ssh":                 {"resources: ['git@github.com:a/b']", where},
		"a short base":                  {"resources: ['github.com/a/b']", "file does not exist"},
		"a short base with a reference": {"resources: ['github.com/a/b?ref=v1']", where},
		"an old base":                   {"bases: ['ssh://git@github.com/a/b']", where},
		"a file":                        {"resources: ['http://127.0.0.1:1/a.yaml']", where},
		"a component":                   {"components: ['https://github.com/a/b']", where},
		"a patch":                       {"patches: [{path: 'https://127.0.0.1:1/p.yaml'}]", where},
		"a generated file":              {"configMapGenerator: [{name: x, files: ['a=https://127.0.0.1:1/f']}]", where},
		"a schema":                      {"openapi: {path: 'https://127.0.0.1:1/s.json'}", where},
		"a generator":                   {"generators: [g.yaml]", where},
		"a chart":                       {"helmCharts: [{name: x, repo: 'https://charts.example.com'}]", "use helm()"},
		"a path outside":                {"resources: ['../../../x']", "is not below the folder"},
		"an absolute path":              {"resources: ['/etc/x.yaml']", "is not below the folder"},
		"a missing file":                {"resources: [nothing.yaml]", `k/bad/kustomization.yaml: "nothing.yaml": file does not exist`},
		"an unknown field":              {"resourcs: [x]", `unknown field "resourcs"`},
		"what is not YAML":              {"resources: [", "k/bad/kustomization.yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			noGit(t)
			files := base()
			files["k/bad/kustomization.yaml"] = test.text + "\n"
			files["k/bad/g.yaml"] = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nfiles: ['https://127.0.0.1:1/f']\n"
			files["k/over/kustomization.yaml"] = "resources: [../bad]\n"
			for _, dir := range []string{"k/bad", "k/over"} {
				if got, err := renderer.Kustomization(folder(files), dir, nil); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error:\n got %v\nwant %s\nmanifests: %s", dir, err, test.want, text(got))
				}
			}
		})
	}
}

func TestOverlaysThatAreRejected(t *testing.T) {
	for name, test := range map[string]struct {
		overlay map[string]any
		want    string
	}{
		"resources":        {map[string]any{"resources": []any{"x"}}, "the overlay has resources"},
		"an unknown field": {map[string]any{"image": "x"}, `the overlay: `},
		"an address":       {map[string]any{"components": []any{"https://github.com/a/b"}}, "the overlay: \"https://github.com/a/b\" is on another machine"},
	} {
		t.Run(name, func(t *testing.T) {
			noGit(t)
			if _, err := renderer.Kustomization(folder(base()), "k/base", test.overlay); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error:\n got %v\nwant %s", err, test.want)
			}
		})
	}
}
