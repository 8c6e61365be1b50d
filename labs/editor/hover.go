package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

func (s *server) hover(_ context.Context, p placeParams) (any, error) {
	d, t, err := s.opened(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	offset := t.offset(p.Position)
	start, end := wordAt(t.content, offset)
	if start == end {
		return nil, nil
	}
	said := ""
	c := cursorAt(t.content, start)
	if c.argument == "" {
		said = inBody(c.block(s.options.Verbs.Language()), c, t.content[start:end])
	} else if c.quoted && c.inClusterSets(s.options.Verbs.Language()) {
		if set := schema.FindSet(s.options.ClusterSets, t.content[start:end]); set != nil {
			said = setText(*set)
		}
	} else if !c.quoted {
		parts, _ := segmentsAt(t.content, offset)
		called := strings.HasPrefix(t.content[end:], "(")
		said = s.inExpression(d, parts, called)
	}
	if said == "" {
		return nil, nil
	}
	at := t.span(start, end)
	return hoverResult{markup{"markdown", said}, &at}, nil
}

// wordAt is the name around an offset.
func wordAt(content string, offset int) (start, end int) {
	start, end = offset, offset
	for start > 0 && isName(content[start-1]) {
		start--
	}
	for end < len(content) && isName(content[end]) {
		end++
	}
	return start, end
}

// segmentsAt is the reference up to the end of the name around an offset, and
// where it begins.
func segmentsAt(content string, offset int) ([]string, int) {
	_, end := wordAt(content, offset)
	ref, start := reference(content, end)
	return segments(ref), start
}

// inBody says what an argument or a block is.
func inBody(b *schema.Block, c cursor, word string) string {
	if b == nil || len(c.line) > 0 {
		return ""
	}
	if a := b.Argument(word); a != nil {
		return argumentDoc(a)
	}
	if below := b.Block(word); below != nil {
		said := "**" + below.Type + "** – " + below.Summary
		if below.Doc != "" {
			said += "\n\n" + below.Doc
		}
		if below.Example != "" {
			said += "\n\n```hcl\n" + below.Example + "\n```"
		}
		return said
	}
	return ""
}

func argumentDoc(a *schema.Argument) string {
	said := fmt.Sprintf("**%s** (%s", a.Name, a.Type)
	if a.Required {
		said += ", required"
	}
	if a.Default != "" {
		said += ", default `" + a.Default + "`"
	}
	said += ")\n\n" + a.Doc
	if len(a.Values) > 0 {
		said += "\n\nOne of `" + strings.Join(a.Values, "`, `") + "`."
	}
	return said
}

// inExpression says what the last part of a reference is.
func (s *server) inExpression(d *document, parts []string, called bool) string {
	switch {
	case len(parts) == 0:
		return ""
	case called:
		if f, ok := schema.FunctionOf(parts[len(parts)-1]); ok && len(parts) == 1 {
			return "```\n" + f.Signature + "\n```\n\n" + f.Doc
		}
		return ""
	case len(parts) == 1:
		if v := schema.ValueOf(parts[0]); v != nil && v.Root {
			return "`" + v.Reference + "` – " + v.Doc
		}
		return ""
	}
	if v := reached(parts[:len(parts)-1]); v != nil {
		if a := v.Attribute(parts[len(parts)-1]); a != nil {
			return fmt.Sprintf("**%s** (%s)\n\n%s", a.Name, a.Type, a.Doc)
		}
	}
	m, _ := s.load(s.unitOf(d.path))
	return declaredValue(m, parts)
}

// declaredValue says what var.x, local.x and cluster.x are.
func declaredValue(m *dsl.Module, parts []string) string {
	of := map[string]cty.Value{"var": m.Vars, "local": m.Locals}
	root, name := parts[0], parts[1]
	if v, ok := of[root]; ok && v.Type().IsObjectType() && v.Type().HasAttribute(name) {
		said := fmt.Sprintf("`%s.%s` = `%s`", root, name, value.Format(v.GetAttr(name)))
		for _, variable := range m.Variables {
			if root == "var" && variable.Name == name && variable.Description != "" {
				said += "\n\n" + variable.Description
			}
		}
		return said
	}
	for _, c := range m.Clusters {
		if root == "cluster" && c.Block == name {
			return clusterText(c)
		}
	}
	return ""
}

// clusterText says what a cluster is.
func clusterText(c *dsl.Cluster) string {
	text := fmt.Sprintf("**cluster %s** –", c.Name)
	if c.Provider != dsl.DefaultProvider {
		text += " provider " + c.Provider
		if settings := c.SettingsText(); settings != "" {
			text += ", " + settings
		}
		text += ","
	}
	if c.Kubernetes != "" {
		text += " Kubernetes " + c.Kubernetes
	}
	if c.Set != "" {
		text = strings.TrimRight(text+" "+strings.Join(clusters.FeatureGates(c.FeatureGates).List(), " "), " ") + fmt.Sprintf(", of the built-in cluster set %q", c.Set)
	}
	return text
}
