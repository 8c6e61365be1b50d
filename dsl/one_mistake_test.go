package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/diag"
)

// rightLab is a lab without a mistake. It has every block and most arguments, each
// on a line of its own.
const rightLab = `lab {
  name             = "All of it"
  required_version = ">= 0.1"
}
variable "image" {
  type        = string
  default     = "busybox:1.35"
  description = "The image."
  validation {
    condition     = length(var.image) > 0
    error_message = "No image."
  }
}
locals {
  main  = "main"
  names = [for i in range(2) : "pod-${i}"]
}
cluster "all" {
  for_each      = toset(["1.28", "1.29"])
  kubernetes    = each.key
  feature_gates = { SidecarContainers = true }
  workers       = 1
  ready_timeout = "5m"
  component "kubelet" {
    extra_args = { v = "4" }
  }
}
scenario "s" {
  description = "With ${var.image}."
  clusters    = values(cluster.all)
  matrix {
    grace = [5, 30]
    exclude {
      grace = 30
    }
  }
  locals {
    web = "web-${matrix.grace}"
  }
  apply "it" {
    manifests        = "image: ${var.image}"
    field_validation = "warn"
    expect_error     = target.minor < 29
  }
  wait "for it" {
    condition = pod[local.web].phase == "Running"
    within    = "30s"
  }
  exec "look" {
    pod     = local.web
    command = ["cat", local.names[0]]
    timeout = "10s"
  }
  expect "it ran" {
    condition = step.look.exit_code == 0 && pod.web.container[local.main].restarts < matrix.grace
    hold      = "1s"
    message   = "It was ${pod.web.status}."
  }
  invariant "never" {
    condition = pod.web.phase != "Failed"
  }
  node "down" {
    action  = "stop"
    service = "kubelet"
  }
  finally {
    delete "clean" {
      objects      = ["pod/web"]
      grace_period = "0s"
      propagation  = "orphan"
    }
    signal "x" {
      pod       = "web"
      container = local.main
    }
  }
}
`

// place is an attribute or a block of rightLab.
type place struct {
	attr  *hclsyntax.Attribute
	block *hclsyntax.Block
	path  string
}

// placesOf are the places of a body, from the outside to the inside.
func placesOf(body *hclsyntax.Body, path string) []place {
	var all []place
	for name, attr := range body.Attributes {
		all = append(all, place{attr: attr, path: path + name})
	}
	for _, block := range body.Blocks {
		all = append(all, place{block: block, path: path + block.Type})
		all = append(all, placesOf(block.Body, path+block.Type+".")...)
	}
	return all
}

// rightPlaces are the places of rightLab, which has no mistake.
func rightPlaces(t *testing.T) []place {
	t.Helper()
	good(t, rightLab, Options{})
	body, diags := Parse([]byte(rightLab), "x.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return placesOf(body, "")
}

// change is rightLab with a text instead of a range.
func change(at hcl.Range, text string) string {
	return rightLab[:at.Start.Byte] + text + rightLab[at.End.Byte:]
}

// oneMistake loads a source. It must have one mistake, at the first byte of a
// range, with a snippet, and with whole sentences.
func oneMistake(t *testing.T, src string, at int, words string) {
	t.Helper()
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{})
	if len(list) != 1 || list[0].Severity != diag.SeverityError || list[0].Range == nil || list[0].Snippet == nil {
		t.Errorf("%d problems, want 1:\n%s", len(list), list.Error())
		return
	}
	d := list[0]
	if d.Range.Start.Byte != at {
		t.Errorf("%s: it is about byte %d, want %d", d, d.Range.Start.Byte, at)
	}
	if d.Summary == "" || strings.HasSuffix(d.Summary, ".") || !strings.HasSuffix(d.Detail, ".") && !strings.HasSuffix(d.Detail, "?") {
		t.Errorf("no whole sentences: %q, %q", d.Summary, d.Detail)
	}
	says(t, d, words)
}

// TestAMisspelledNameIsOneMistake changes the name of each argument and block.
func TestAMisspelledNameIsOneMistake(t *testing.T) {
	for _, p := range rightPlaces(t) {
		t.Run(p.path, func(t *testing.T) {
			switch {
			case p.attr != nil && (strings.Contains(p.path, "locals.") || strings.HasPrefix(p.path, "scenario.matrix.grace")):
				return // any name is right
			case p.path == "cluster.for_each":
				return // each of its uses is a mistake then
			case p.attr != nil:
				name := p.attr.Name
				words := `"` + name + `x"|"` + name + `"`
				if strings.HasPrefix(p.path, "scenario.matrix.exclude") {
					words = `axis "gracex"|"grace"`
				}
				oneMistake(t, change(p.attr.NameRange, name+"x"), p.attr.NameRange.Start.Byte, words)
			case p.path != "variable" && p.path != "cluster" && p.path != "locals" && p.path != "scenario.locals" && p.path != "scenario.matrix" && p.path != "scenario.exec":
				oneMistake(t, change(p.block.TypeRange, p.block.Type+"x"), p.block.TypeRange.Start.Byte, `"`+p.block.Type+`x"|"`+p.block.Type+`"`)
			}
		})
	}
}

// TestAnUnknownNameIsOneMistake writes a name that is not there instead of each
// value: what depends on it must not be reported also.
func TestAnUnknownNameIsOneMistake(t *testing.T) {
	for _, p := range rightPlaces(t) {
		if p.attr == nil || p.path == "variable.type" {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			at := p.attr.Expr.Range()
			oneMistake(t, change(at, "nowhere"), at.Start.Byte, `"nowhere"`)
			oneMistake(t, change(at, "nothing(1)"), at.Start.Byte, `"nothing"`)
		})
	}
}

// TestANullIsOneMistake writes null instead of each value: it is refused, or it
// means something, but nothing breaks.
func TestANullIsOneMistake(t *testing.T) {
	allowed := map[string]bool{"variable.default": true, "locals.main": true, "locals.names": true, "scenario.locals.web": true, "scenario.expect.message": true,
		"variable.validation.error_message": true}
	for _, p := range rightPlaces(t) {
		if p.attr == nil || p.path == "variable.type" || allowed[p.path] || strings.HasPrefix(p.path, "scenario.matrix.exclude") {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			at := p.attr.Expr.Range()
			oneMistake(t, change(at, "null"), at.Start.Byte, "null")
		})
	}
}

// TestTheSameTwiceIsOneMistake writes each argument and each block twice.
func TestTheSameTwiceIsOneMistake(t *testing.T) {
	for _, p := range rightPlaces(t) {
		t.Run(p.path, func(t *testing.T) {
			var at hcl.Range
			offset := 0 // of what is reported in the copy
			switch {
			case p.attr != nil:
				at = p.attr.Range()
			case p.path == "locals" || p.path == "scenario.locals":
				at = p.block.Range()
				for _, attr := range p.block.Body.Attributes { // the first one, by place
					if next := attr.NameRange.Start.Byte - at.Start.Byte; offset == 0 || next < offset {
						offset = next
					}
				}
				if len(p.block.Body.Attributes) > 1 {
					return // each is a mistake of its own
				}
			case p.path == "variable.validation" || strings.HasPrefix(p.path, "scenario.matrix.exclude"):
				return // there may be several
			default:
				at = p.block.Range()
				if len(p.block.LabelRanges) > 0 {
					offset = p.block.LabelRanges[0].Start.Byte - at.Start.Byte
				}
			}
			copied := rightLab[at.Start.Byte:at.End.Byte]
			src := rightLab[:at.End.Byte] + "\n" + copied + rightLab[at.End.Byte:]
			oneMistake(t, src, at.End.Byte+1+offset, "x.hcl:")
		})
	}
}

// TestAnUnclosedFileTells takes each bracket and each quote out of a lab: there is
// a mistake, with a place in the file, and nothing of what cannot be known.
func TestAnUnclosedFileTells(t *testing.T) {
	for i, c := range rightLab {
		if !strings.ContainsRune(`{}[]()"`, c) || c == '{' && rightLab[i-1] == '$' { // without it, ${ is a text
			continue
		}
		src := rightLab[:i] + rightLab[i+1:]
		_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{})
		if !list.HasErrors() {
			t.Errorf("without the %c of byte %d: no mistake", c, i)
		}
		for _, d := range list {
			if d.Range == nil || d.Range.End.Byte > len(src) || d.Snippet == nil || strings.Contains(d.Summary, "Unused") {
				t.Errorf("without the %c of byte %d: %s", c, i, d)
			}
		}
	}
}

// TestClustersOfAnUnknownForEach checks a lab without values of its variables: which
// clusters there are is unknown then, which is no mistake.
func TestClustersOfAnUnknownForEach(t *testing.T) {
	const src = "variable \"versions\" {\n  type = set(string)\n}\ncluster \"all\" {\n  for_each = var.versions\n  kubernetes = each.key\n}\n"
	for _, clusters := range []string{"values(cluster.all)", `[cluster.all["1.28"]]`, `[cluster.all.x]`, "[for c in values(cluster.all) : c]"} {
		_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src + "scenario \"s\" {\n  clusters = " + clusters + "\n  sleep \"x\" { duration = \"1s\" }\n}\n")}}, "x.hcl", Options{NoValues: true})
		if list.HasErrors() {
			t.Errorf("%s: %s", clusters, list.Error())
		}
	}
	wantProblems(t, "x.hcl", src+"scenario \"s\" { clusters = [«cluster.alll»] }\n", Options{NoValues: true}, `"alll"|"all"`)
}
