package dsl

import "testing"

// TestDynamicBlocks keeps which blocks a dynamic block makes, and where they
// stand among the others.
func TestDynamicBlocks(t *testing.T) {
	const content = "\ncontent { duration = \"1s\" }\n}\n"
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"a list":                    {"dynamic \"sleep\" {\nfor_each = [\"b\", \"a\"]\nlabels = [sleep.value]" + content, []string{"b", "a"}},
		"a list has places as keys": {"dynamic \"sleep\" {\nfor_each = [\"b\", \"a\"]\nlabels = [\"${sleep.key}\"]" + content, []string{"0", "1"}},
		"a set is sorted":           {"dynamic \"sleep\" {\nfor_each = toset([\"b\", \"a\"])\nlabels = [sleep.key]" + content, []string{"a", "b"}},
		"an object":                 {"dynamic \"sleep\" {\nfor_each = { y = 1, x = 2 }\nlabels = [\"${sleep.key}=${sleep.value}\"]" + content, []string{"x=2", "y=1"}},
		"nothing":                   {"dynamic \"sleep\" {\nfor_each = []\nlabels = [sleep.value]" + content, nil},
		"an iterator":               {"dynamic \"sleep\" {\nfor_each = [1, 2]\niterator = it\nlabels = [\"n${it.value}\"]" + content, []string{"n1", "n2"}},
		"a local":                   {"dynamic \"sleep\" {\nfor_each = local.names\nlabels = [sleep.value]" + content, []string{"from", "locals"}},
		"between others": {"sleep \"first\" { duration = \"1s\" }\ndynamic \"sleep\" {\nfor_each = [\"x\", \"y\"]\nlabels = [sleep.value]" + content + "sleep \"last\" { duration = \"1s\" }",
			[]string{"first", "x", "y", "last"}},
		"two of them": {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"a${sleep.value}\"]" + content + "dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"b${sleep.value}\"]" + content,
			[]string{"a1", "b1"}},
		"objects as values": {"dynamic \"sleep\" {\nfor_each = [{ n = \"p\" }]\nlabels = [sleep.value.n]" + content, []string{"p"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, "locals { names = [\"from\", \"locals\"] }\n"+inScenario(tt.text), Options{})
			same(t, "steps", tt.want, stepNames(m.Scenarios[0].Steps))
			for _, s := range m.Scenarios[0].Steps {
				if s.Verb != "sleep" || s.Action == nil {
					t.Errorf("%q is a %s with %v", s.Name, s.Verb, s.Action)
				}
			}
		})
	}
}

// TestDynamicBlocksOfEveryPlace makes blocks in clusters, variables, matrices
// and finally.
func TestDynamicBlocksOfEveryPlace(t *testing.T) {
	m := good(t, `
variable "v" {
  default = 5
  dynamic "validation" {
    for_each = [1, 2]
    content {
      condition     = var.v > 1
      error_message = "no"
    }
  }
}
cluster "c" {
  kubernetes = "1.29"
  dynamic "component" {
    for_each = { kubelet = 4, kube-scheduler = 2 }
    labels   = [component.key]
    content { extra_args = { v = component.value } }
  }
}
scenario "s" {
  clusters = [cluster.c]
  dynamic "matrix" {
    for_each = []
    content {}
  }
  dynamic "finally" {
    for_each = ["f"]
    content {
      dynamic "sleep" {
        for_each = [1, 2]
        labels   = ["${finally.value}${sleep.value}"]
        content { duration = "${sleep.value}s" }
      }
    }
  }
}
`, Options{})
	var components []string
	for _, c := range m.Clusters[0].Components {
		components = append(components, c.Name+"="+c.ExtraArgs["v"])
	}
	same(t, "components", []string{"kube-scheduler=2", "kubelet=4"}, components)
	same(t, "finally", []string{"f1", "f2"}, stepNames(m.Scenarios[0].Finally))
	same(t, "roots", []string{"finally", "sleep"}, sorted(m.Scenarios[0].Finally[0].Roots))
}

// TestWrongDynamicBlocks points at what is wrong with a dynamic block.
func TestWrongDynamicBlocks(t *testing.T) {
	const content = "\ncontent { duration = \"1s\" }\n"
	for name, tt := range map[string]struct {
		text string
		want []problem
	}{
		"an unknown type":        {"dynamic «\"sleeep\"» {\nfor_each = []\ncontent {}\n}", []problem{`"sleeep"|"sleep"`}},
		"no content":             {"«dynamic \"sleep\"» {\nfor_each = []\nlabels = [\"x\"]\n}", []problem{"content|0"}},
		"two contents":           {"«dynamic \"sleep\"» {\nfor_each = []\nlabels = [\"x\"]" + content + "content {}\n}", []problem{"content|2"}},
		"too few labels":         {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = «[]»" + content + "}", []problem{"label|0"}},
		"too many labels":        {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = «[\"a\", \"b\"]»" + content + "}", []problem{"label|2"}},
		"a label of null":        {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = «[null]»" + content + "}", []problem{"labels|null"}},
		"a label of a list":      {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = «[[]]»" + content + "}", []problem{"labels"}},
		"the same label":         {"dynamic \"sleep\" {\nfor_each = [1, 2]\nlabels = «[\"x\"]»" + content + "}", []problem{`"x"`}},
		"a label of one there":   {"sleep \"x\" { duration = \"1s\" }\ndynamic \"sleep\" {\nfor_each = [1]\nlabels = «[\"x\"]»" + content + "}", []problem{`"x"`}},
		"an empty label":         {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = «[\" \"]»" + content + "}", []problem{"name"}},
		"for_each of a number":   {"dynamic \"sleep\" {\nfor_each = «3»\nlabels = [\"x\"]" + content + "}", []problem{"for_each|3"}},
		"for_each of null":       {"dynamic \"sleep\" {\nfor_each = «null»\nlabels = [\"x\"]" + content + "}", []problem{"for_each|null"}},
		"observed":               {"dynamic \"sleep\" {\nfor_each = «target».nodes\nlabels = [\"x\"]" + content + "}", []problem{"target"}},
		"too many":               {"dynamic \"sleep\" {\nfor_each = «range(1001)»\nlabels = [\"${sleep.key}\"]" + content + "}", []problem{"1001|1000"}},
		"a quoted iterator":      {"dynamic \"sleep\" {\nfor_each = [1]\niterator = «\"it\"»\nlabels = [\"x\"]" + content + "}", []problem{"iterator|quotes"}},
		"the default's name":     {"dynamic \"sleep\" {\nfor_each = [1]\niterator = it\nlabels = [«sleep».value]" + content + "}", []problem{"sleep"}},
		"an unknown attribute":   {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"${sleep«.valu»}\"]" + content + "}", []problem{`"valu"|"value"`}},
		"an unknown argument":    {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"x\"]\n«lables» = []" + content + "}", []problem{`"lables"`}},
		"what is in the content": {"dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"x\"]\ncontent { duration = «\"soon\"» }\n}", []problem{"soon"}},
		"reported once for many": {"dynamic \"sleep\" {\nfor_each = [1, 2, 3]\nlabels = [\"x${sleep.key}\"]\ncontent { duration = «5» }\n}", []problem{"duration|5s"}},
		"sensitive":              {"dynamic \"sleep\" {\nfor_each = «var.secret»\nlabels = [\"x${sleep.key}\"]" + content + "}", []problem{"sensitive"}},
		"an expect in finally":   {"finally {\ndynamic «\"expect\"» {\nfor_each = [1]\nlabels = [\"x\"]\ncontent { condition = true }\n}\n}", []problem{`"expect"`}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "variable \"secret\" {\ndefault = [1]\nsensitive = true\n}\n"+inScenario(tt.text), Options{}, tt.want...)
		})
	}
}

// TestADynamicBlockIsTheBlocksWritten compares what a dynamic block makes with
// the same blocks written out.
func TestADynamicBlockIsTheBlocksWritten(t *testing.T) {
	made := good(t, inScenario(`
  dynamic "sleep" {
    for_each = { a = 1, b = 2 }
    labels   = ["for ${sleep.key}"]
    content { duration = "${sleep.value}s" }
  }
  dynamic "delete" {
    for_each = ["web", "db"]
    labels   = [delete.value]
    content {
      objects      = "pod/${delete.value}"
      grace_period = "${delete.key}s"
      propagation  = "orphan"
    }
  }`), Options{})
	written := good(t, inScenario(`
  sleep "for a" { duration = "1s" }
  sleep "for b" { duration = "2s" }
  delete "web" {
    objects      = "pod/web"
    grace_period = "0s"
    propagation  = "orphan"
  }
  delete "db" {
    objects      = "pod/db"
    grace_period = "1s"
    propagation  = "orphan"
  }`), Options{})
	same(t, "steps", meant(t, written), meant(t, made))
}
