package editor

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl"
)

func (s *server) formatting(_ context.Context, p documentParams) (any, error) {
	d, t, err := s.opened(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	edits := []textEdit{}
	if strings.HasSuffix(d.path, ".json") {
		return edits, nil
	}
	out, list := dsl.Format([]byte(t.content), filepath.Base(d.path))
	if !list.HasErrors() && string(out) != t.content {
		edits = append(edits, textEdit{t.span(0, len(t.content)), string(out)})
	}
	return edits, nil
}

// The kinds of symbols that are used.
const (
	symbolClass    = 5
	symbolProperty = 7
)

func (s *server) symbols(_ context.Context, p documentParams) (any, error) {
	d, t, err := s.opened(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	body, _ := dsl.Parse([]byte(t.content), filepath.Base(d.path)) // what can be made out is shown
	if body == nil || strings.HasSuffix(d.path, ".json") {
		return []symbol{}, nil
	}
	return blocks(t, body), nil
}

func blocks(t text, body *hclsyntax.Body) []symbol {
	all := []symbol{}
	for _, b := range body.Blocks {
		whole, name := b.Range(), b.DefRange()
		shown := symbol{Name: b.Type, Kind: symbolClass, Range: t.span(whole.Start.Byte, whole.End.Byte), SelectionRange: t.span(name.Start.Byte, name.End.Byte)}
		if len(b.Labels) > 0 {
			shown.Name, shown.Detail = strings.Join(b.Labels, " "), b.Type
		}
		if shown.Name == "" {
			shown.Name = b.Type // a client may not be given an empty name
		}
		if b.Body != nil {
			shown.Children = blocks(t, b.Body)
		}
		if b.Type == "locals" && b.Body != nil {
			for name, attr := range b.Body.Attributes {
				shown.Children = append(shown.Children, symbol{
					Name: name, Kind: symbolProperty, Range: t.span(attr.SrcRange.Start.Byte, attr.SrcRange.End.Byte),
					SelectionRange: t.span(attr.NameRange.Start.Byte, attr.NameRange.End.Byte),
				})
			}
			slices.SortFunc(shown.Children, func(a, b symbol) int {
				return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
			})
		}
		all = append(all, shown)
	}
	return all
}

func (s *server) definition(_ context.Context, p placeParams) (any, error) {
	d, t, err := s.opened(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	offset := t.offset(p.Position)
	c := cursorAt(t.content, offset)
	if start, end := wordAt(t.content, offset); c.quoted && c.inClusterSets(s.options.Verbs.Language()) {
		s.sayBuiltIn(t.content[start:end], "")
		return nil, nil
	}
	parts, _ := segmentsAt(t.content, offset)
	if c.argument == "" || len(parts) < 2 {
		return nil, nil
	}
	u := s.unitOf(d.path)
	m, _ := s.load(u)
	if parts[0] == "cluster" {
		s.sayBuiltIn(setOf(m, parts[1]), "cluster."+parts[1])
	}
	at, ok := declared(m, c.scenario(), parts[0], parts[1])
	if !ok {
		return nil, nil
	}
	path := filepath.Join(u.dir, filepath.FromSlash(at.Filename))
	shown := text{s.contentOf(path, m, at.Filename), t.utf8}
	return location{uriOf(path), shown.span(at.Start.Byte, at.End.Byte)}, nil
}

// declared is where the name below a root is declared.
func declared(m *dsl.Module, scenario, root, name string) (hcl.Range, bool) {
	switch root {
	case "var":
		for _, v := range m.Variables {
			if v.Name == name {
				return v.Range, true
			}
		}
	case "local":
		at, ok := locals(m, scenario)[name]
		return at, ok
	case "cluster":
		for _, c := range m.Clusters {
			if c.Block == name {
				return c.Range, true
			}
		}
	case "step":
		for _, s := range m.Scenarios {
			for _, step := range append(s.Steps[:len(s.Steps):len(s.Steps)], s.Finally...) {
				if s.Name == scenario && step.Name == name {
					return step.Range, true
				}
			}
		}
	}
	return hcl.Range{}, false
}

// locals are where the file's locals, and those of one scenario, are declared.
func locals(m *dsl.Module, scenario string) map[string]hcl.Range {
	found := map[string]hcl.Range{}
	var collect func(body *hclsyntax.Body, deep bool)
	collect = func(body *hclsyntax.Body, deep bool) {
		for _, b := range body.Blocks {
			switch {
			case b.Body == nil:
			case b.Type == "locals":
				for name, attr := range b.Body.Attributes {
					found[name] = attr.NameRange
				}
			case deep && b.Type == "scenario" && len(b.Labels) == 1 && b.Labels[0] == scenario:
				collect(b.Body, false)
			}
		}
	}
	for _, file := range m.Files {
		if body, ok := file.Body.(*hclsyntax.Body); ok && body != nil {
			collect(body, true)
		}
	}
	return found
}
