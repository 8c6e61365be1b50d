package suggest

import "testing"

func TestName(t *testing.T) {
	for _, tt := range []struct {
		given string
		names []string
		want  string
	}{
		{"exit_cod", []string{"exit_code", "signal"}, "exit_code"},
		{"jbo", []string{"pod", "job"}, "job"},
		{"fase", []string{"name", "phase"}, "phase"},
		{"PHASE", []string{"phase"}, "phase"},
		{"v12", []string{"v127", "v128"}, "v127"},
		{"x", []string{"y"}, ""},
		{"ab", []string{"cd"}, ""},
		{"", []string{"a"}, ""},
		{"něco", []string{"neco"}, "neco"},
		{"anything", nil, ""},
	} {
		if got := Name(tt.given, tt.names); got != tt.want {
			t.Errorf("%q among %q: got %q, want %q", tt.given, tt.names, got, tt.want)
		}
	}
}

func TestPhrases(t *testing.T) {
	if got, want := Sentence("condtion", []string{"condition"}), ` Did you mean "condition"?`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Sentence("zzz", []string{"condition"}); got != "" {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, ""}, {[]string{"a"}, `"a"`}, {[]string{"b", "a"}, `"a" and "b"`}, {[]string{"c", "b", "a"}, `"a", "b" and "c"`},
	} {
		if got := List(tt.names); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.names, got, tt.want)
		}
	}
}
