package dsl

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// blocksOfALab are the top-level blocks of a lab, each of which refers to others.
func blocksOfALab() []string {
	return []string{
		"lab {\n  name = \"ordered\"\n}\n",
		"variable \"image\" {\n  default = \"busybox:1.35\"\n}\n",
		"variable \"count\" {\n  type    = number\n  default = 2\n  validation {\n    condition     = var.count < 9 && length(var.image) > 0\n    error_message = \"At most 8.\"\n  }\n}\n",
		"locals {\n  twice = local.once + local.once\n  names = [for i in range(local.twice) : \"pod-${i}\"]\n}\n",
		"locals {\n  once = var.count\n}\n",
		"cluster \"old\" {\n  kubernetes = local.versions.old\n}\n",
		"cluster \"all\" {\n  for_each   = local.versions\n  kubernetes = each.value\n}\n",
		"locals {\n  versions = { old = \"1.28\", new = \"1.3${local.once - 2}\" }\n}\n",
		"scenario \"first\" {\n  clusters = concat([cluster.old], values(cluster.all))\n  apply \"it\" { manifests = \"image: ${var.image}\" }\n  expect \"e\" { condition = pod[local.names[1]].phase == \"Running\" }\n}\n",
		"scenario \"second\" {\n  clusters = [cluster.all[\"new\"]]\n  matrix { n = range(1, local.twice) }\n  sleep \"s\" { duration = \"${matrix.n}s\" }\n}\n",
	}
}

// summary is what a module means, without the order of its declarations.
func summary(t *testing.T, m *Module) string {
	t.Helper()
	var lines []string
	for _, v := range m.Variables {
		lines = append(lines, fmt.Sprintf("variable %s %s", v.Name, v.Type.FriendlyName()))
	}
	for _, c := range m.Clusters {
		lines = append(lines, fmt.Sprintf("cluster %s %s %s %v", c.Name, c.Kubernetes, c.Provider, c.FeatureGates))
	}
	for _, part := range strings.Split(meant(t, m), "\nscenario ") {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(part, "scenario ")))
	}
	counts := map[string]int{}
	for _, line := range lines {
		counts[line]++
	}
	text := m.Name + "\n" + value.Format(m.Vars) + "\n" + value.Format(m.Locals) + "\n"
	for _, line := range sorted(counts) {
		text += fmt.Sprintf("%d %s\n", counts[line], line)
	}
	return text
}

// TestOrderOfFilesDoesNotMatter spreads the blocks of a lab over files, in many
// ways and in both syntaxes: the module must mean the same.
func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	blocks := blocksOfALab()
	want := summary(t, good(t, strings.Join(blocks, ""), Options{}))
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		random.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		texts := map[string]string{ScenarioFile: ""}
		for _, b := range blocks {
			name := []string{ScenarioFile, "a.hcl", "z.hcl", "Ü.hcl", "m.json.hcl"}[random.IntN(5)]
			texts[name] += b
		}
		files := fstest.MapFS{}
		for name, text := range texts {
			file := path.Join("f", name)
			if random.IntN(3) == 0 && name != ScenarioFile {
				file, text = file+".json", inJSONBlocks(t, text)
			}
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		m, list := LoadFS(files, "f", Options{})
		if list.HasErrors() {
			t.Fatalf("round %d: %s\n%v", round, list.Error(), texts)
		}
		if got := summary(t, m); got != want {
			t.Fatalf("round %d: %v\ngot\n%s\nwant\n%s", round, texts, got, want)
		}
	}
}

// inJSONBlocks writes the blocks of a file in the JSON syntax. A file has a name
// of an object once, and therefore an array of objects for its blocks.
func inJSONBlocks(t *testing.T, text string) string {
	t.Helper()
	var all []string
	for _, block := range strings.SplitAfter(text, "\n}\n") {
		if block != "" {
			all = append(all, inJSON(t, []byte(block)))
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

// TestOrderOfDiagnostics loads a folder with a mistake in each file: they are in
// the order of the files' names and of the places in them, every time.
func TestOrderOfDiagnostics(t *testing.T) {
	files := fstest.MapFS{}
	var want []string
	for _, name := range []string{"a.hcl", "b.hcl.json", "c.hcl", "scenario.hcl"} {
		text := "locals {\n  l_" + name[:1] + " = var.nowhere\n}\nlocals {\n  m_" + name[:1] + " = [nothing]\n}\n"
		if strings.HasSuffix(name, ".json") {
			text = "{\"locals\": {\n\"l_b\": \"${var.nowhere}\",\n\n\"m_b\": [\"${nothing}\"]}}"
		}
		files["f/"+name] = &fstest.MapFile{Data: []byte(text)}
		want = append(want, "f/"+name+":2", "f/"+name+":"+map[bool]string{true: "4", false: "5"}[strings.HasSuffix(name, ".json")])
	}
	for range 5 {
		_, list := LoadFS(files, "f", Options{})
		var got []string
		for _, d := range list {
			got = append(got, fmt.Sprintf("%s:%d", d.Range.Filename, d.Range.Start.Line))
		}
		same(t, "places", want, got)
	}
}

// TestOrderOfArguments writes the arguments of blocks the other way round.
func TestOrderOfArguments(t *testing.T) {
	arguments := map[string][]string{
		"exec \"x\"":   {`pod = "p"`, `container = "c"`, `command = ["a"]`, `stdin = "in"`, `timeout = "5s"`, `expect_error = "e"`, `ignore_exit_code = true`},
		"expect \"x\"": {`condition = pod.a.phase == "Running"`, `within = "5s"`, `hold = "1s"`, `outcome = true`, `when = target.minor > 28`, `message = "m"`},
		"delete \"x\"": {`objects = ["pod/a"]`, `grace_period = "0s"`, `propagation = "orphan"`, `wait = false`, `ignore_not_found = true`},
		"patch \"x\"":  {`object = "pod/a"`, `patch = { a = 1 }`, `type = "merge"`, `subresource = "status"`, `field_validation = "warn"`},
	}
	for header, lines := range arguments {
		text := func(lines []string) string {
			return inScenario(header + " {\n" + strings.Join(lines, "\n") + "\n}")
		}
		want := meant(t, good(t, text(lines), Options{}))
		for i := range lines {
			turned := append(append([]string{}, lines[i:]...), lines[:i]...)
			if got := meant(t, good(t, text(turned), Options{})); got != want {
				t.Errorf("%s: %q\ngot\n%s\nwant\n%s", header, turned, got, want)
			}
		}
	}
}
