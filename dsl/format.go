package dsl

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kind-lab/lab/dsl/diag"
)

// Format lays out a source in the native syntax as `terraform fmt` does:
// indentation, the alignment of = and of comments, and single blanks. It changes
// nothing else. A source that cannot be parsed is returned unchanged, with
// diagnostics. Formatting the result again changes nothing.
func Format(src []byte, name string) ([]byte, diag.List) {
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	file := &hcl.File{Bytes: src}
	body, diags := parseNative(src, name)
	if body != nil {
		file.Body = body
	}
	if diags.HasErrors() {
		return src, diag.FromHCL(diags, map[string]*hcl.File{name: file})
	}
	// The formatter's choices depend on one another: it may take more than one
	// pass until nothing changes.
	out := src
	for range maxPasses {
		next := hclwrite.Format(out)
		if bytes.Equal(next, out) {
			break
		}
		out = next
	}
	if !sameTokens(src, out) {
		return src, nil
	}
	return out, nil
}

// maxPasses limits how often a source is formatted until nothing changes.
const maxPasses = 8

// sameTokens says whether two sources differ only in white space.
func sameTokens(a, b []byte) bool {
	x, _ := hclsyntax.LexConfig(a, "", hcl.InitialPos)
	y, _ := hclsyntax.LexConfig(b, "", hcl.InitialPos)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Type != y[i].Type || !bytes.Equal(x[i].Bytes, y[i].Bytes) {
			return false
		}
	}
	return true
}

// Parse parses a source in the native syntax. If a source is nested too deeply,
// it returns a diagnostic and no body. Otherwise the body has the parts that
// could be parsed.
func Parse(src []byte, name string) (*hclsyntax.Body, hcl.Diagnostics) { return parseNative(src, name) }
