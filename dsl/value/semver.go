package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
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
func VersionSatisfies(version, constraint string) (bool, error) {
	v, err := parseVersion(version)
	if err != nil {
		return false, err
	}
	return satisfies(v, constraint)
}

// version is a version of one to three numbers and perhaps a pre-release.
type version struct {
	numbers []int
	pre     []string
}

func parseVersion(s string) (version, error) {
	form := regexp.MustCompile(`^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)
	parts := form.FindStringSubmatch(strings.TrimSpace(s))
	if parts == nil {
		return version{}, fmt.Errorf("%q is not a version such as \"1.28.15\"", s)
	}
	var v version
	for _, part := range parts[1:4] {
		if part == "" {
			break
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return version{}, fmt.Errorf("%q is not a version: %w", s, err)
		}
		v.numbers = append(v.numbers, n)
	}
	if parts[4] != "" {
		v.pre = strings.Split(parts[4], ".")
	}
	return v, nil
}

func satisfies(v version, constraint string) (bool, error) {
	form := regexp.MustCompile(`^\s*(=|!=|<=|>=|<|>|~>)?\s*([^\s<>=!~]+)\s*$`)
	all := true
	for _, one := range strings.Split(constraint, ",") {
		parts := form.FindStringSubmatch(one)
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
		return !v.within(bound, len(bound.numbers))
	case "~>":
		return v.compare(bound) >= 0 && v.within(version{numbers: bound.numbers}, max(1, len(bound.numbers)-1))
	default:
		return v.within(bound, len(bound.numbers))
	}
}

// within says whether the first n numbers are those of bound, and the
// pre-release where bound has one.
func (v version) within(bound version, n int) bool {
	for i := range n {
		if v.number(i) != bound.number(i) {
			return false
		}
	}
	return bound.pre == nil || strings.Join(v.pre, ".") == strings.Join(bound.pre, ".")
}

func (v version) number(i int) int {
	if i < len(v.numbers) {
		return v.numbers[i]
	}
	return 0
}

// compare orders versions as semver.org does.
func (v version) compare(w version) int {
	for i := range 3 {
		if c := v.number(i) - w.number(i); c != 0 {
			return c
		}
	}
	switch {
	case v.pre == nil && w.pre == nil:
		return 0
	case v.pre == nil:
		return 1
	case w.pre == nil:
		return -1
	}
	for i := range min(len(v.pre), len(w.pre)) {
		if c := compareIdentifiers(v.pre[i], w.pre[i]); c != 0 {
			return c
		}
	}
	return len(v.pre) - len(w.pre)
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
