package clusters

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseConstraint(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		match      []string
		not        []string
		exact      string
	}{
		{"a minor line", "1.28", []string{"1.28.0", "1.28.15", "1.28.99"}, []string{"1.27.9", "1.29.0", "2.28.1"}, ""},
		{"a release", "1.28.15", []string{"1.28.15"}, []string{"1.28.14", "1.28.16", "1.29.15"}, "1.28.15"},
		{"a release with v", "v1.28.15", []string{"1.28.15"}, []string{"1.28.14"}, "1.28.15"},
		{"a line with v", "v1.28", []string{"1.28.3"}, []string{"1.29.0"}, ""},
		{"later patches", "~> 1.28.3", []string{"1.28.3", "1.28.15"}, []string{"1.28.2", "1.29.0"}, ""},
		{"later minors", "~> 1.28", []string{"1.28.0", "1.29.1", "1.37.0"}, []string{"1.27.9", "2.0.0"}, ""},
		{"without space", "~>1.28.3", []string{"1.28.4"}, []string{"1.28.2"}, ""},
		{"space around", "  1.28 ", []string{"1.28.4"}, []string{"1.27.2"}, ""},
		{"the oldest", "1.27.0", []string{"1.27.0"}, nil, "1.27.0"},
		{"from before the oldest", "~> 1.26", []string{"1.27.0", "1.28.1"}, []string{"1.26.9"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := ParseConstraint(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range tc.match {
				if !c.Match(mustVersion(t, v)) {
					t.Errorf("%q does not match %s", tc.text, v)
				}
			}
			for _, v := range tc.not {
				if c.Match(mustVersion(t, v)) {
					t.Errorf("%q matches %s", tc.text, v)
				}
			}
			got, ok := c.Exact()
			if ok != (tc.exact != "") || ok && got.String() != tc.exact {
				t.Errorf("Exact() = %v, %v, want %q", got, ok, tc.exact)
			}
			if c.String() != strings.TrimSpace(tc.text) {
				t.Errorf("String() = %q", c.String())
			}
		})
	}
}

func TestParseConstraintRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"words", "abc", ErrBadVersion, `write a version like "1.28"`},
		{"nothing", "", ErrBadVersion, "1.28.15"},
		{"a number", "1", ErrBadVersion, "1.28"},
		{"four numbers", "1.28.15.1", ErrBadVersion, "1.28"},
		{"a pre-release", "1.28.0-rc.1", ErrBadVersion, "1.28"},
		{"leading zeros", "1.028", ErrBadVersion, "1.28"},
		{"another operator", ">= 1.28", ErrBadVersion, "~> 1.28.3"},
		{"a negative number", "1.-28", ErrBadVersion, "1.28"},
		{"more digits than a version has", "1.99999999999999999999", ErrBadVersion, "1.28"},
		{"an old line", "1.26", ErrTooOld, "the oldest is 1.27"},
		{"an old release", "v1.26.15", ErrTooOld, "the oldest is 1.27"},
		{"old patches", "~> 1.26.3", ErrTooOld, "the oldest is 1.27"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseConstraint(tc.text)
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseConstraint(%q) = %v, want %v saying %q", tc.text, err, tc.want, tc.says)
			}
		})
	}
}

func TestVersionText(t *testing.T) {
	v := mustVersion(t, "v1.28.15")
	if v.String() != "1.28.15" || v.Line() != "1.28" {
		t.Errorf("String %s, Line %s", v, v.Line())
	}
	data, err := json.Marshal(v)
	if err != nil || string(data) != `"1.28.15"` {
		t.Errorf("Marshal = %s, %v", data, err)
	}
	var back Version
	if err := json.Unmarshal(data, &back); err != nil || back != v {
		t.Errorf("Unmarshal = %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`"1.28"`), &back); !errors.Is(err, ErrBadVersion) {
		t.Errorf("a version of two parts: %v", err)
	}
}

func FuzzParseConstraint(f *testing.F) {
	for _, seed := range []string{"1.28", "v1.28.15", "~> 1.28", "~>1.28.3", "abc", "", "1..2", "~> v1.27", "8191.8191.8191"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConstraint(text)
		if err != nil {
			if !errors.Is(err, ErrBadVersion) && !errors.Is(err, ErrTooOld) {
				t.Fatalf("ParseConstraint(%q): untyped error %v", text, err)
			}
			return
		}
		if v, ok := c.Exact(); ok && !c.Match(v) {
			t.Fatalf("%q does not match its own %s", text, v)
		}
		again, err := ParseConstraint(c.String())
		if err != nil || again != c {
			t.Fatalf("%q reads back as %v, %v", text, again, err)
		}
	})
}

// mustVersion reads a version that the test itself wrote.
func mustVersion(t *testing.T, text string) Version {
	t.Helper()
	v, err := ParseVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConstraintMinor(t *testing.T) {
	for text, want := range map[string]int{"1.28": 28, "1.28.15": 28, "~> 1.28.3": 28, "~> 1.28": -1} {
		c, err := ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, one := c.Minor(); one != (want >= 0) || one && got != want {
			t.Errorf("%q: %d, %t", text, got, one)
		}
	}
}

func TestReleaseOf(t *testing.T) {
	for text, want := range map[string]string{
		"1.28.15": "1.28.15", "v1.28.15": "1.28.15", "1.28": "1.28.0", "1": "1.0.0", "v1.30.0-rc.1+k3s1": "1.30.0", "1.31.2-gke.100": "1.31.2",
		"": "", "x.y": "", "~> 1.28": "", "1.x": "", "1.99999999999999999999": "",
	} {
		v, err := ReleaseOf(text)
		if want == "" && !errors.Is(err, ErrBadVersion) || want != "" && (err != nil || v.String() != want) {
			t.Errorf("ReleaseOf(%q) = %v, %v, want %q", text, v, err, want)
		}
	}
}
