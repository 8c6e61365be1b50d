package value

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	goversion "github.com/hashicorp/go-version"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var (
	// versionForm is less than the library takes, which also reads four numbers
	// and a pre-release without "-".
	versionForm    = regexp.MustCompile(`^v?\d{1,9}((?:\.\d{1,9}){0,2})(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)
	constraintForm = regexp.MustCompile(`^\s*(=|!=|<=|>=|<|>|~>)?\s*([^\s<>=!~]+)\s*$`)
)

// semver is whether a version satisfies a constraint.
func semver() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "version", Type: cty.String}, {Name: "constraint", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := parseVersion(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			ok, err := satisfies(v, args[1].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(1, err)
			}
			return cty.BoolVal(ok), nil
		},
	})
}

// VersionSatisfies says whether version satisfies constraint: comma-separated
// comparisons such as ">= 1.28, < 1.30" with the operators =, !=, <, <=, >, >=
// and ~> (the last number that is written may grow, as in Terraform); a version
// alone means =, for as many of its numbers as are written.
//
// In a comparison with a release, a pre-release counts as its release:
// 1.30.0-rc.1 satisfies ">= 1.30", and not "< 1.30.0". In a comparison with a
// pre-release, the precedence of semver.org decides: 1.30.0-rc.1 satisfies
// "< 1.30.0-rc.2".
func VersionSatisfies(version, constraint string) (bool, error) {
	v, err := parseVersion(version)
	if err != nil {
		return false, err
	}
	return satisfies(v, constraint)
}

// version is a version of one to three numbers and perhaps a pre-release.
type version struct {
	*goversion.Version
	// written is how many numbers are.
	written int
}

func parseVersion(s string) (version, error) {
	parts := versionForm.FindStringSubmatch(strings.TrimSpace(s))
	if parts == nil {
		return version{}, fmt.Errorf("%q is not a version such as \"1.28.15\"", s)
	}
	v, err := goversion.NewVersion(parts[0])
	if err != nil { // it has "..", say
		return version{}, fmt.Errorf("%q is not a version such as \"1.28.15\" or \"1.30.0-rc.1\"", s)
	}
	return version{v, 1 + strings.Count(parts[1], ".")}, nil
}

func satisfies(v version, constraint string) (bool, error) {
	all := true
	for _, one := range strings.Split(constraint, ",") {
		parts := constraintForm.FindStringSubmatch(one)
		if parts == nil {
			return false, fmt.Errorf("%q is not a constraint such as \">= 1.28, < 1.30\" or \"~> 1.28\"", constraint)
		}
		bound, err := parseVersion(parts[2])
		if err != nil {
			return false, err
		}
		all = all && v.holds(parts[1], bound)
	}
	return all, nil
}

func (v version) holds(op string, bound version) bool {
	if bound.Prerelease() == "" {
		v.Version = v.Core()
	}
	equal := v.begins(bound, bound.written) && v.Prerelease() == bound.Prerelease()
	switch op {
	case "<":
		return v.compare(bound) < 0
	case "<=":
		return v.compare(bound) <= 0
	case ">":
		return v.compare(bound) > 0
	case ">=":
		return v.compare(bound) >= 0
	case "!=":
		return !equal
	case "~>":
		return v.compare(bound) >= 0 && v.begins(bound, max(1, bound.written-1))
	default:
		return equal
	}
}

// begins says whether the first n numbers are those of bound.
func (v version) begins(bound version, n int) bool {
	return slices.Equal(v.Segments()[:n], bound.Segments()[:n])
}

// compare orders versions as semver.org does. The library does so but for
// pre-releases: it has alpha.beta before alpha.
func (v version) compare(w version) int {
	if c := slices.Compare(v.Segments(), w.Segments()); c != 0 {
		return c
	}
	a, b := v.Prerelease(), w.Prerelease()
	if a == "" || b == "" {
		return len(b) - len(a)
	}
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), compareIdentifiers)
}

func compareIdentifiers(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil:
		return m - n
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	default:
		return strings.Compare(a, b)
	}
}
