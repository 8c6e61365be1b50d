package editor

import (
	"slices"
	"strings"
	"testing"
)

// outlined are the symbols of a text, one a line, those within a block indented.
func outlined(t *testing.T, name, content string) string {
	t.Helper()
	c := open(t, nil)
	c.open(name, content)
	var all []symbol
	c.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": c.uri(name)}}, &all)
	var b strings.Builder
	var list func([]symbol, string)
	list = func(all []symbol, indent string) {
		for _, s := range all {
			b.WriteString(strings.TrimRight(indent+s.Name+" "+s.Detail, " ") + "\n")
			list(s.Children, indent+"  ")
		}
	}
	list(all, "")
	return b.String()
}

func TestTheOutline(t *testing.T) {
	for name, tt := range map[string]struct{ file, content, want string }{
		"nothing":       {"scenario.hcl", "", ""},
		"blocks":        {"scenario.hcl", "cluster \"c\" {}\nscenario \"s\" {\n  apply \"a\" {}\n  finally {\n    delete \"d\" {}\n  }\n}\n", "c cluster\ns scenario\n  a apply\n  finally\n    d delete\n"},
		"an empty name": {"scenario.hcl", "scenario \"\" {}\n", "scenario scenario\n"},
		"locals":        {"scenario.hcl", "locals {\n  zebra = 1\n  apple = 2\n  mango = { x = 1 }\n  b = 1\n  a = 1\n}\n", "locals\n  zebra\n  apple\n  mango\n  b\n  a\n"},
		"being typed":   {"scenario.hcl", "cluster \"c\" {}\nscenario \"s\" {\n  apply \"a\" {\n", "c cluster\ns scenario\n  a apply\n"},
		"JSON":          {"scenario.hcl.json", `{"cluster": {"c": {}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outlined(t, tt.file, tt.content); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// TestTheOutlineHasTheOrderOfTheFile holds that it is the same each time.
func TestTheOutlineHasTheOrderOfTheFile(t *testing.T) {
	names := strings.Fields("q w e r t z u i o p")
	content := "locals {\n  " + strings.Join(names, " = 1\n  ") + " = 1\n}\n"
	got := strings.Fields(outlined(t, "scenario.hcl", content))
	if !slices.Equal(got[1:], names) {
		t.Errorf("got %q, want %q", got[1:], names)
	}
}
