package clusters

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	goversion "github.com/hashicorp/go-version"

	"github.com/kind-lab/lab/clusters/versions"
)

// OldestKubernetes is the oldest minor version that clusters are made of, such
// as "1.27".
func OldestKubernetes() string { return versions.Oldest().Line() }

var (
	// ErrBadVersion says that a text is no Kubernetes version.
	ErrBadVersion = errors.New("not a Kubernetes version")
	// ErrTooOld says that a version is older than OldestKubernetes.
	ErrTooOld = errors.New("older than the oldest supported Kubernetes version")
)

// Version is a released Kubernetes version, such as 1.28.15.
type Version struct {
	Major, Minor, Patch int
}

// ParseVersion reads a whole version, with or without a leading "v". A text
// that is none is an ErrBadVersion.
func ParseVersion(text string) (Version, error) {
	v, parts, err := parseParts(text)
	if err != nil {
		return Version{}, err
	}
	if parts != 3 {
		return Version{}, fmt.Errorf("%w: %q names no patch release, write it like \"1.28.15\"", ErrBadVersion, text)
	}
	return v, nil
}

// ReleaseOf reads the release that a version of any form belongs to, such as
// 1.30.0 for "v1.30.0-rc.1+k3s1" and "1.30". A text that is no version is an
// ErrBadVersion.
func ReleaseOf(text string) (Version, error) {
	v, err := goversion.NewVersion(text)
	if err != nil {
		return Version{}, fmt.Errorf("%w: %q", ErrBadVersion, text)
	}
	numbers := v.Segments() // three at least
	return Version{numbers[0], numbers[1], numbers[2]}, nil
}

// String is the version without a leading "v", such as "1.28.15".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Line is the version's minor release line, such as "1.28".
func (v Version) Line() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare is negative where v is older than w, 0 where they are the same and
// positive where v is newer.
func (v Version) Compare(w Version) int {
	switch {
	case v.Major != w.Major:
		return v.Major - w.Major
	case v.Minor != w.Minor:
		return v.Minor - w.Minor
	default:
		return v.Patch - w.Patch
	}
}

// MarshalText writes the version as String does.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what ParseVersion reads.
func (v *Version) UnmarshalText(text []byte) error {
	parsed, err := ParseVersion(string(text))
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}

// Constraint says which Kubernetes versions will do.
type Constraint struct {
	text     string
	from, to Version // to is the first version above, not included
	exact    bool
}

// ParseConstraint reads what a scenario may ask for:
//
//	"1.28"       any patch release of 1.28
//	"1.28.15"    that release; "v1.28.15" is the same
//	"~> 1.28.3"  1.28.3 or a later patch release of 1.28
//	"~> 1.28"    1.28 or a later minor release below 2.0
//
// A text of another form is an ErrBadVersion, one that only versions below
// OldestKubernetes match is an ErrTooOld; both say what would do.
func ParseConstraint(text string) (Constraint, error) {
	trimmed := strings.TrimSpace(text)
	rest, pessimistic := strings.CutPrefix(trimmed, "~>")
	v, parts, err := parseParts(strings.TrimSpace(rest))
	if err != nil {
		return Constraint{}, fmt.Errorf("%w: %q; write a version like \"1.28\", \"1.28.15\" or \"~> 1.28.3\"", ErrBadVersion, text)
	}
	c := Constraint{text: trimmed, from: v, exact: parts == 3 && !pessimistic}
	switch {
	case c.exact:
		c.to = Version{v.Major, v.Minor, v.Patch + 1}
	case pessimistic && parts == 2:
		c.to = Version{v.Major + 1, 0, 0}
	default:
		c.to = Version{v.Major, v.Minor + 1, 0}
	}
	if oldest := oldest(); c.to.Compare(oldest) <= 0 {
		return Constraint{}, fmt.Errorf("%w: %q; the oldest is %s", ErrTooOld, text, OldestKubernetes())
	}
	return c, nil
}

// Match says whether v will do. A version older than OldestKubernetes never
// does.
func (c Constraint) Match(v Version) bool {
	return c.from.Compare(v) <= 0 && v.Compare(c.to) < 0 && v.Compare(oldest()) >= 0
}

// String is the constraint as it was written, without space around it.
func (c Constraint) String() string { return c.text }

// Exact is the one version that the constraint allows, and false where it
// allows several.
func (c Constraint) Exact() (Version, bool) { return c.from, c.exact }

// oldest is the first release of OldestKubernetes.
func oldest() Version {
	v, _, err := parseParts(OldestKubernetes())
	if err != nil {
		return Version{}
	}
	return v
}

// parseParts reads a version of two or three parts and says how many there
// were.
func parseParts(text string) (Version, int, error) {
	fields := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(fields) < 2 || len(fields) > 3 {
		return Version{}, 0, fmt.Errorf("%w: %q", ErrBadVersion, text)
	}
	var nums [3]int
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 13)
		if err != nil || strconv.FormatUint(n, 10) != field {
			return Version{}, 0, fmt.Errorf("%w: %q", ErrBadVersion, text)
		}
		nums[i] = int(n)
	}
	if nums[0] == 0 {
		return Version{}, 0, fmt.Errorf("%w: %q", ErrBadVersion, text)
	}
	return Version{nums[0], nums[1], nums[2]}, len(fields), nil
}

// Minor is the one minor release line that the constraint allows, such as 28
// for "1.28" and "~> 1.28.3"; false where it allows several.
func (c Constraint) Minor() (int, bool) {
	return c.from.Minor, c.to.Compare(Version{c.from.Major, c.from.Minor + 1, 0}) <= 0
}
