package selection

import (
	"slices"
	"testing"
)

func TestInclude(t *testing.T) {
	for _, tt := range []struct {
		name  string
		asked Names
		names []string
		want  bool
	}{
		{"nothing asked for is everything", nil, []string{"v127"}, true},
		{"a name", Names{"v127"}, []string{"v127"}, true},
		{"another name", Names{"v127"}, []string{"v128"}, false},
		{"one of several", Names{"v127", "v128"}, []string{"v128"}, true},
		{"the start of a name is not the name", Names{"v128"}, []string{"v128_on"}, false},
		{"an instance", Names{`all["1.28"]`}, []string{`all["1.28"]`}, true},
		{"an instance without quotes", Names{"all[1.28]"}, []string{`all["1.28"]`}, true},
		{"another instance", Names{"all[1.28]"}, []string{`all["1.29"]`}, false},
		{"a block means its instances", Names{"all"}, []string{`all["1.28"]`}, true},
		{"a block that is named apart", Names{"all"}, []string{"first", "all"}, true},
		{"an empty name is never meant", Names{"*"}, []string{""}, false},
		{"any text", Names{"v12*"}, []string{"v128_on"}, true},
		{"one character", Names{"v12?"}, []string{"v128"}, true},
		{"one character is not two", Names{"v12?"}, []string{"v128_on"}, false},
		{"a class", Names{"v12[89]"}, []string{"v129"}, true},
		{"not in the class", Names{"v12[89]"}, []string{"v127"}, false},
		{"the whole name must match", Names{"12*"}, []string{"v128"}, false},
		{"a pattern in the key", Names{"all[1.2?]"}, []string{`all["1.28"]`}, true},
		{"any key", Names{"all[*]"}, []string{`all["1.28"]`}, true},
		{"a key with a slash", Names{"prod*"}, []string{`prod["eu/west"]`}, true},
		{"quotes that are given count", Names{`rows[grace="5"]`}, []string{"rows[grace=5]"}, false},
		{"a row", Names{"rows[grace=5]"}, []string{`rows[grace="5"]`}, true},
		{"a malformed pattern", Names{"v12["}, []string{"v12"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.asked.Include(tt.names...); got != tt.want {
				t.Errorf("%q includes %q: %t, want %t", tt.asked, tt.names, got, tt.want)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]Names{
		"":                        nil,
		"v127":                    {"v127"},
		"v127,v128":               {"v127", "v128"},
		" v127 ,, v128,":          {"v127", "v128"},
		"v12[7,8],x":              {"v12[7,8]", "x"},
		`all["a,b"],x`:            {`all["a,b"]`, "x"},
		`rows[image="a]b,c"],x`:   {`rows[image="a]b,c"]`, "x"},
		"a],b":                    {"a]", "b"},
		`rows[a=1, b=2],other[*]`: {"rows[a=1, b=2]", "other[*]"},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
