package suggest

import (
	"slices"
	"strings"
	"testing"
)

// TestDistance keeps how many edits lie between two words, and that the way back
// is as long.
func TestDistance(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b string
		want int
	}{
		"the same":                 {"phase", "phase", 0},
		"both empty":               {"", "", 0},
		"one empty":                {"", "abc", 3},
		"a letter more":            {"phase", "phases", 1},
		"a letter less":            {"phase", "hase", 1},
		"another letter":           {"phase", "phbse", 1},
		"two neighbours exchanged": {"phase", "phaes", 1},
		"two exchanges":            {"abcd", "badc", 2},
		"letters far apart":        {"abc", "cba", 2},
		"a rune of two bytes":      {"něco", "neco", 1},
		"nothing in common":        {"abc", "xyz", 3},
	} {
		t.Run(name, func(t *testing.T) {
			if there, back := distance(tt.a, tt.b), distance(tt.b, tt.a); there != tt.want || back != tt.want {
				t.Errorf("%d there and %d back, want %d", there, back, tt.want)
			}
		})
	}
}

// TestNearest keeps which name is chosen among several, and that the order in
// which they are given does not matter.
func TestNearest(t *testing.T) {
	for name, tt := range map[string]struct {
		given string
		names []string
		want  string
	}{
		"the nearer":                {"timeou", []string{"timeouts", "timeout"}, "timeout"},
		"more of the same end":      {"grase", []string{"grape", "grace", "phase"}, "grace"},
		"the first of equals":       {"a1b", []string{"a3b", "a2b"}, "a2b"},
		"the same in another case":  {"POD", []string{"pod", "node"}, "pod"},
		"a name with capitals":      {"sidecarcontainer", []string{"SidecarContainers"}, "SidecarContainers"},
		"three edits":               {"abcdef", []string{"abcxyz"}, ""},
		"two edits of four letters": {"abxy", []string{"abcd"}, "abcd"},
		"two edits of three":        {"axy", []string{"abc"}, ""},
		"one edit of two letters":   {"ax", []string{"ab"}, "ab"},
		"one edit of one letter":    {"x", []string{"a"}, ""},
		"nothing given":             {"", []string{"a", "ab"}, ""},
		"no names":                  {"a", nil, ""},
		"very long":                 {strings.Repeat("a", 101), []string{strings.Repeat("a", 102)}, ""},
		"as long as is compared":    {strings.Repeat("a", 99), []string{strings.Repeat("a", 100)}, strings.Repeat("a", 100)},
	} {
		t.Run(name, func(t *testing.T) {
			names := slices.Clone(tt.names)
			if got := Name(tt.given, names); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(names, tt.names) {
				t.Errorf("the names were changed to %q", names)
			}
			slices.Reverse(names)
			if got := Name(tt.given, names); got != tt.want {
				t.Errorf("in the other order: got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestANameIsNearestToItself takes every name of a list, and every name with
// one mistake, as given.
func TestANameIsNearestToItself(t *testing.T) {
	names := []string{"condition", "within", "hold", "outcome", "message", "manifests", "timeout"}
	for _, name := range names {
		for i := range name {
			for what, given := range map[string]string{
				"whole": name, "a letter less": name[:i] + name[i+1:], "a letter twice": name[:i+1] + name[i:], "another letter": name[:i] + "q" + name[i+1:],
			} {
				if got := Name(given, names); got != name {
					t.Errorf("%s: %q is taken for %q, want %q", what, given, got, name)
				}
			}
		}
	}
}

func TestOr(t *testing.T) {
	for name, tt := range map[string]struct {
		names []string
		want  string
	}{
		"none":  {nil, ""},
		"one":   {[]string{"a"}, "a"},
		"two":   {[]string{"b", "a"}, "a or b"},
		"three": {[]string{"c", "a", "b"}, "a, b or c"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Or(tt.names); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestQuoted(t *testing.T) {
	names := []string{"b", "a"}
	if got := Quoted(names); !slices.Equal(got, []string{`"b"`, `"a"`}) || !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("got %q of %q", got, names)
	}
	if got := Quoted(nil); len(got) != 0 {
		t.Errorf("got %q of nothing", got)
	}
}

func TestCapital(t *testing.T) {
	for given, want := range map[string]string{"": "", "a": "A", "a word": "A word", "A": "A", "1st": "1st", `"x" is`: `"x" is`, "émile": "émile"} {
		if got := Capital(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
