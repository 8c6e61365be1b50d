package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

var update = flag.Bool("update", false, "write golden files anew")

const source = `# comment
scenario "s" {
	expect "tab and 宽 wide" { # 宽
		condition = "宽" == var.size + job.x.active + var.token + var.empty
	}
  expect "lines" {
    condition = alltrue([
      1 + "x",
      true,
    ])
  }
}
`

// sample is a file with diagnostics of every form about it.
func sample(t *testing.T) diag.List {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(source), "labs/s.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	expects := file.Body.(*hclsyntax.Body).Blocks[0].Body.Blocks
	first, second := expects[0].Body.Attributes["condition"].Expr, expects[1].Body.Attributes["condition"].Expr
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{
			"size": cty.NumberIntVal(3), "token": cty.StringVal("hunter2").Mark(value.Sensitive), "empty": cty.NullVal(cty.String),
		}),
		"job": cty.ObjectVal(map[string]cty.Value{"x": cty.UnknownVal(cty.Object(map[string]cty.Type{"active": cty.Number}))}),
	}}
	size := first.Variables()[0].SourceRange()
	missing := expects[1].Body.MissingItemRange()
	return diag.FromHCL(hcl.Diagnostics{
		{Severity: hcl.DiagWarning, Summary: "A warning", Subject: &missing},
		{Severity: hcl.DiagError, Summary: "With values", Detail: "A detail that is long enough to be wrapped at the width that is asked for, and that has\n  a line of its own that is indented and is left alone whatever its length may be, as code is\nand a last one.",
			Subject: &size, Expression: first, EvalContext: ctx},
		{Severity: hcl.DiagError, Summary: "Several lines", Detail: "Short.", Subject: second.Range().Ptr()},
		{Severity: hcl.DiagError, Summary: "Elsewhere", Detail: "Its file is not there.", Subject: &hcl.Range{Filename: "other.hcl", Start: hcl.Pos{Line: 3, Column: 1}, End: hcl.Pos{Line: 3, Column: 2}}},
		{Severity: hcl.DiagError, Summary: "Nowhere", Detail: "It has no place."},
		nil,
	}, map[string]*hcl.File{"labs/s.hcl": file})
}

func TestWriteText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		style diag.Style
	}{
		{"plain", diag.Style{Width: 60}},
		{"unwrapped", diag.Style{}},
		{"color", diag.Style{Color: true, Width: 60}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := diag.WriteText(&b, sample(t), tt.style); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".golden", b.String())
		})
	}
}

func TestJSON(t *testing.T) {
	data, err := json.MarshalIndent(sample(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "json.golden", string(data)+"\n")
	var back diag.List
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(t), back); diff != "" {
		t.Error(diff)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestNoControlCharacters gives every text of a diagnostic what a terminal
// would obey.
func TestNoControlCharacters(t *testing.T) {
	const evil = "a\x1b]0;title\x07\x1b[2J\r\b\u009b31m\u202egnp\u2066\x7f\x00\xffz"
	l := diag.List{{
		Severity: diag.SeverityError, Summary: evil, Detail: evil + "\n  " + evil,
		Range: &diag.Range{Filename: evil},
		Snippet: &diag.Snippet{
			Context: evil, Code: evil, HighlightStart: 2, HighlightEnd: 900,
			Values: []diag.Value{{Reference: evil, Statement: evil}},
		},
	}}
	for _, width := range []int{0, 1, 40} {
		var b strings.Builder
		if err := diag.WriteText(&b, l, diag.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for _, r := range strings.ReplaceAll(b.String(), "\n", "") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("width %d: %U is written", width, r)
			}
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestWriteError(t *testing.T) {
	if err := diag.WriteText(brokenWriter{}, sample(t), diag.Style{}); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("got %v", err)
	}
}

func TestList(t *testing.T) {
	l := diag.List{{Severity: diag.SeverityWarning, Summary: "w"}}
	if l.HasErrors() {
		t.Error("a warning is an error")
	}
	l = append(l, diag.Diagnostic{Severity: diag.SeverityError, Summary: "s", Detail: "d", Range: &diag.Range{Filename: "f", Start: diag.Pos{Line: 2, Column: 3}}})
	if got, want := l.Error(), "w\nf:2,3: s; d"; !l.HasErrors() || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValuesOf(t *testing.T) {
	got := diag.ValuesOf([]value.Ref{
		{Expression: "pod.x.phase", Value: `"Running"`, State: value.Known},
		{Expression: "pod.x.ip", Value: value.NotObserved, State: value.Unknown},
		{Expression: "pod.x.reason", Value: "null", State: value.Absent},
		{Expression: "pod.x.created_at", Value: "3.5", State: value.Known, Precision: time.Second},
	})
	want := []diag.Value{
		{Reference: "pod.x.phase", Statement: `is "Running"`}, {Reference: "pod.x.ip", Statement: "was not observed"},
		{Reference: "pod.x.reason", Statement: "is null"}, {Reference: "pod.x.created_at", Statement: "is 3.5, known to 1s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzSnippet takes snippets of any range of any source and writes them.
func FuzzSnippet(f *testing.F) {
	f.Add([]byte(source), 3, 40, 10)
	f.Add([]byte("a\r\nb\n"), 1, 3, 1)
	f.Add([]byte(""), 0, 0, 0)
	f.Fuzz(func(t *testing.T, src []byte, start, end, width int) {
		file, _ := hclsyntax.ParseConfig(src, "x", hcl.InitialPos)
		file.Bytes = src
		r := hcl.Range{Filename: "x", Start: hcl.Pos{Line: 1, Byte: start}, End: hcl.Pos{Byte: end}}
		l := diag.List{{Snippet: diag.NewSnippet(file, r)}}
		for _, style := range []diag.Style{{Width: width % 200}, {Color: true}} {
			if err := diag.WriteText(&strings.Builder{}, l, style); err != nil {
				t.Fatal(err)
			}
		}
	})
}
