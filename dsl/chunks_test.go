package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TestPiecesAreTheWhole parses long sources in pieces and as a whole.
func TestPiecesAreTheWhole(t *testing.T) {
	many := string(manyScenarios(100)["scenario.hcl"].Data)
	filler := strings.Repeat("locals {\n  x = 1\n}\n", chunkSize/10)
	for name, tt := range map[string]struct {
		src    string
		pieces bool
	}{
		"scenarios":            {many, true},
		"no newline at end":    {strings.TrimSuffix(many, "\n"), true},
		"an attribute":         {many + "x = 1\n", true},
		"attributes twice":     {"x = 1\n" + many + "x = 1\n", false},
		"a brace in a heredoc": {"locals {\n  x = <<EOT\n" + filler + "EOT\n}\n" + many, false},
		"a brace in a comment": {"/*\n" + filler + "*/\n" + many, false},
		"a mistake at the end": {many + "scenario {{\n", false},
		"a list at the top":    {"x = [\n" + strings.Repeat("{\n}\n,", chunkSize) + "]\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parsePieces([]byte(tt.src), "x.hcl") != nil; got != tt.pieces {
				t.Errorf("in pieces: %t, want %t", got, tt.pieces)
			}
			body, diags := parseNative([]byte(tt.src), "x.hcl")
			whole, wholeDiags := parsePiece([]byte(tt.src), "x.hcl", hcl.InitialPos)
			if diff := cmp.Diff(wholeDiags.Error(), diags.Error()); diff != "" {
				t.Errorf("diagnostics (-whole +pieces):\n%s", diff)
			}
			if diff := cmp.Diff(outline(whole), outline(body)); diff != "" {
				t.Errorf("(-whole +pieces):\n%s", diff)
			}
		})
	}
}

// outline is every node of a body with its place.
func outline(body *hclsyntax.Body) []string {
	if body == nil {
		return nil
	}
	var nodes []string
	_ = hclsyntax.VisitAll(body, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n.(type) {
		case hclsyntax.Attributes, hclsyntax.Blocks: // their ranges are those of any element
		case *hclsyntax.Body:
		default:
			nodes = append(nodes, n.Range().String())
		}
		return nil
	})
	return sortedTexts(nodes)
}

func sortedTexts(all []string) []string {
	counts := map[string]bool{}
	for _, s := range all {
		counts[s] = true
	}
	return sorted(counts)
}

// TestAMarkBetweenPieces finds a byte order mark where a piece begins: it may
// begin a file alone.
func TestAMarkBetweenPieces(t *testing.T) {
	block := "locals {\n  # " + strings.Repeat("x", chunkSize) + "\n}\n"
	for name, tt := range map[string]struct {
		src string
		ok  bool
	}{
		"at the start of the file": {byteOrderMark + strings.Repeat(block, 4), true},
		"at the start of a piece":  {block + byteOrderMark + strings.Repeat(block, 3), false},
		"of every piece":           {strings.Repeat(byteOrderMark+block, 4), false},
	} {
		if _, diags := parseNative([]byte(tt.src), "x.hcl"); diags.HasErrors() == tt.ok {
			t.Errorf("%s: %s", name, diags.Error())
		}
	}
}
