package value

import (
	"fmt"
	"strings"
	"testing"
)

// inOrderOfVersions are versions from the oldest to the newest, as semver.org
// orders them.
func inOrderOfVersions() []string {
	return []string{
		"0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
		"1.0.1", "1.2", "1.9.9", "1.10.0", "1.28.15", "1.29.0-alpha.3", "1.29", "2.0.0-rc.1", "2", "10.0.0", "100000000.0.0",
	}
}

// TestVersionsAreInOrder compares a pre-release with a release as if it were its
// own release, and otherwise by precedence.
func TestVersionsAreInOrder(t *testing.T) {
	all := inOrderOfVersions()
	place := map[string]int{}
	for i, v := range all {
		place[v] = i
	}
	place["1.29.0"], place["2.0.0"] = place["1.29"], place["2"]
	for _, a := range all {
		for j, b := range all {
			i := place[a]
			if release, _, is := strings.Cut(a, "-"); is && !strings.Contains(b, "-") {
				i = place[release]
			}
			for op, want := range map[string]bool{"<": i < j, "<=": i <= j, ">": i > j, ">=": i >= j} {
				if got, err := VersionSatisfies(a, op+b); err != nil || got != want {
					t.Errorf("%s %s %s is %t (%v), want %t", a, op, b, got, err, want)
				}
			}
		}
	}
}

// TestVersionsEqualOrNot holds = and != to be opposites, and a version without
// an operator to be =.
func TestVersionsEqualOrNot(t *testing.T) {
	for _, a := range inOrderOfVersions() {
		if is, err := VersionSatisfies(a, a); err != nil || !is {
			t.Errorf("%s is not itself: %v", a, err)
		}
		for _, b := range inOrderOfVersions() {
			is, err := VersionSatisfies(a, "="+b)
			alone, aloneErr := VersionSatisfies(a, b)
			not, notErr := VersionSatisfies(a, "!="+b)
			if err != nil || aloneErr != nil || notErr != nil || is == not || is != alone {
				t.Errorf("%s: = %s is %t, != is %t, alone %t (%v, %v, %v)", a, b, is, not, alone, err, notErr, aloneErr)
			}
		}
	}
}

func TestVersionForms(t *testing.T) {
	for _, tt := range []struct {
		name, version, constraint string
		want                      bool
	}{
		{"a leading v", "v1.30.2", "1.30.2", true},
		{"a leading v in the constraint", "1.30.2", ">= v1.30", true},
		{"spaces", " 1.30.2 ", "  >=   1.30 ,  < 2 ", true},
		{"build metadata does not matter", "1.30.2+k3s1", "= 1.30.2", true},
		{"a pre-release with build metadata", "1.30.0-rc.1+x", "= 1.30.0", true},
		{"fewer numbers count as zero", "1", ">= 1.0.0", true},
		{"as many numbers as are written", "1.30.9", "1.30", true},
		{"as many numbers as are written, not the next", "1.31.0", "1.30", false},
		{"one number", "1.31.0", "1", true},
		{"the pre-release that is written", "1.30.0-rc.1", "1.30.0-rc.1", true},
		{"another pre-release", "1.30.0-rc.2", "1.30.0-rc.1", false},
		{"no pre-release", "1.30.0", "1.30.0-rc.1", false},
		{"~> of one number", "2.0.0", "~> 1", false},
		{"~> of one number, the same", "1.99.0", "~> 1", true},
		{"~> of a pre-release", "1.30.1", "~> 1.30.0-rc.1", true},
		{"~> before a pre-release", "1.30.0-beta.1", "~> 1.30.0-rc.1", false},
		{"all of several", "1.30.0", ">= 1.29, != 1.30.0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := VersionSatisfies(tt.version, tt.constraint); err != nil || got != tt.want {
				t.Errorf("%s %s is %t (%v), want %t", tt.version, tt.constraint, got, err, tt.want)
			}
		})
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	for _, bad := range []string{"", " ", "v", "1.", ".1", "1..2", "1.2.3.4", "1.2.3-", "1.2.3+", "a", "1.2.3 4", "-1", "1.2.3-ä", "1234567890", "1.2.3-a..b", "1.2.3-a~b", "1.2.3a"} {
		if ok, err := VersionSatisfies(bad, ">= 0"); err == nil || ok {
			t.Errorf("the version %q is accepted", bad)
		}
		if ok, err := VersionSatisfies("1.2.3", ">= "+bad); err == nil || ok {
			t.Errorf("the constraint >= %q is accepted", bad)
		}
	}
	for _, bad := range []string{",", "1,,2", "> > 1", "1 2", "~ 1", "<>1", "=>1", "!1", "1 || 2"} {
		if ok, err := VersionSatisfies("1.2.3", bad); err == nil || ok {
			t.Errorf("the constraint %q is accepted", bad)
		}
	}
}

// TestSeveralConstraintsAreAnd holds a list of constraints to be all of them,
// in any order.
func TestSeveralConstraintsAreAnd(t *testing.T) {
	constraints := []string{">= 1.0.0", "< 1.29", "~> 1.2", "!= 1.28.15", "2"}
	for _, version := range inOrderOfVersions() {
		for _, a := range constraints {
			for _, b := range constraints {
				one, _ := VersionSatisfies(version, a)
				two, _ := VersionSatisfies(version, b)
				for _, both := range []string{fmt.Sprintf("%s, %s", a, b), fmt.Sprintf("%s,%s", b, a)} {
					if got, err := VersionSatisfies(version, both); err != nil || got != (one && two) {
						t.Errorf("%s %s is %t (%v), want %t", version, both, got, err, one && two)
					}
				}
			}
		}
	}
}

func TestVersionSatisfies(t *testing.T) {
	for _, tt := range []struct {
		version, constraint string
		want                bool
	}{
		{"1.28.15", "1.28", true}, {"1.28.15", "= 1.28.15", true}, {"1.28.15", "1.28.1", false}, {"1.28.15", "!= 1.28", false},
		{"1.28.15", "~> 1.28", true}, {"1.29.0", "~> 1.28", true}, {"2.0.0", "~> 1.28", false}, {"1.29.0", "~> 1.28.0", false},
		{"v1.28.15", ">= 1.28, < 1.30", true}, {"1.30.0", ">= 1.28, < 1.30", false}, {"1.9.0", "< 1.10", true},
		{"1.30.0-rc.1", "< 1.30", false}, {"1.30.0-rc.1", "> 1.30.0-beta.2", true}, {"1.30.0-rc.10", "> 1.30.0-rc.9", true},
		{"1.30.0", "> 1.30.0-rc.1", true}, {"1.27.16", "> 1.27", true}, {"1.27.16", "<= 1.27", false},
	} {
		if got, err := VersionSatisfies(tt.version, tt.constraint); err != nil || got != tt.want {
			t.Errorf("%s %s: got %t, %v", tt.version, tt.constraint, got, err)
		}
	}
	for _, bad := range []string{"", "1.x", ">= ", "1.2.3.4", "=> 1", "1.2,"} {
		if _, err := VersionSatisfies("1.2.3", bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestPreReleases(t *testing.T) {
	for _, tt := range []struct {
		constraint    string
		rc1, rc2, pub bool // of 1.30.0-rc.1, 1.30.0-rc.2 and 1.30.0
	}{
		// No pre-release is named: one counts as its release.
		{"= 1.30.0", true, true, true},
		{"1.30", true, true, true},
		{"!= 1.30.0", false, false, false},
		{"< 1.30.0", false, false, false},
		{"<= 1.30.0", true, true, true},
		{"> 1.30.0", false, false, false},
		{">= 1.30", true, true, true},
		{"~> 1.30.0", true, true, true},
		{"~> 1.29.0", false, false, false},
		{"< 1.30.0+k3s1", false, false, false},
		// One is named: precedence decides.
		{"= 1.30.0-rc.1", true, false, false},
		{"!= 1.30.0-rc.1", false, true, true},
		{"< 1.30.0-rc.2", true, false, false},
		{"<= 1.30.0-rc.1", true, false, false},
		{"> 1.30.0-rc.1", false, true, true},
		{">= 1.30.0-rc.2", false, true, true},
		{"~> 1.30.0-rc.2", false, true, true},
		// Each comparison is one of its own.
		{">= 1.30.0-rc.2, < 1.31", false, true, true},
		{"> 1.30.0-rc.1, != 1.30.0", false, false, false},
	} {
		for version, want := range map[string]bool{"1.30.0-rc.1": tt.rc1, "v1.30.0-rc.2+k3s1": tt.rc2, "1.30.0": tt.pub} {
			if got, err := VersionSatisfies(version, tt.constraint); err != nil || got != want {
				t.Errorf("%s %s is %t (%v), want %t", version, tt.constraint, got, err, want)
			}
		}
	}
}
