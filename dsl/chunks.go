package dsl

import (
	"bytes"
	"runtime"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/value"
)

// chunkSize is the size up to which a source is parsed in one piece. The
// lexer holds all tokens of a piece, which is slow if there are very many,
// and small pieces do not need the lexer for the check of their bounds.
const chunkSize = 2 << 10

// parseNative parses a source in the native syntax, and a long one in pieces.
// The body has the parts that could be parsed; nil if there are none.
func parseNative(data []byte, name string) (*hclsyntax.Body, hcl.Diagnostics) {
	if len(data) > 2*chunkSize {
		if body := parsePieces(data, name); body != nil {
			return body, nil
		}
		// There is a mistake, or a cut at a wrong place: parsing the whole
		// source shows which.
	}
	return parsePiece(data, name, hcl.InitialPos)
}

func parsePiece(data []byte, name string, at hcl.Pos) (*hclsyntax.Body, hcl.Diagnostics) {
	if diags := bounds(data, name, at); diags.HasErrors() {
		return nil, diags
	}
	if diags := hugeNumbers(data, name, at); diags.HasErrors() {
		return nil, diags
	}
	file, diags := hclsyntax.ParseConfig(data, name, at)
	if file == nil {
		return nil, diags
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok || body == nil {
		return nil, diags
	}
	if !diags.HasErrors() {
		value.Prepare(body)
	}
	return body, diags
}

// parsePieces parses a source piece by piece and joins the bodies. It returns
// nil if a piece cannot be parsed, or has any diagnostics.
func parsePieces(data []byte, name string) *hclsyntax.Body {
	pieces := split(data)
	bodies := make([]*hclsyntax.Body, len(pieces))
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range pieces {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if i > 0 && bytes.HasPrefix(p.data, []byte(byteOrderMark)) {
				return // the parser allows the mark at the start of what it reads
			}
			if body, diags := parsePiece(p.data, name, p.at); len(diags) == 0 {
				bodies[i] = body
			}
		})
	}
	group.Wait()
	whole := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}}
	for i, body := range bodies {
		if body == nil {
			return nil
		}
		for name, attr := range body.Attributes {
			if whole.Attributes[name] != nil {
				return nil // parsing the whole source reports it
			}
			whole.Attributes[name] = attr
		}
		whole.Blocks = append(whole.Blocks, body.Blocks...)
		if i == 0 {
			whole.SrcRange = body.SrcRange
		}
		whole.SrcRange.End, whole.EndRange = body.SrcRange.End, body.EndRange
	}
	return whole
}

// piece is a part of a source and where it begins.
type piece struct {
	data []byte
	at   hcl.Pos
}

// split cuts a source after lines that have only a closing brace, like the end
// of a top-level block. If such a line is something else, as in a heredoc, the
// piece cannot be parsed.
func split(data []byte) []piece {
	var pieces []piece
	begin, line, beginLine := 0, 1, 1
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		closes := end == 1 && data[at] == '}'
		at += end + 1
		line++
		if closes && at-begin >= chunkSize {
			pieces = append(pieces, piece{data[begin:at], hcl.Pos{Line: beginLine, Column: 1, Byte: begin}})
			begin, beginLine = at, line
		}
	}
	return append(pieces, piece{data[begin:], hcl.Pos{Line: beginLine, Column: 1, Byte: begin}})
}
