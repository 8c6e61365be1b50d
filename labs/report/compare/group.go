package compare

import (
	"slices"

	"github.com/kind-lab/lab/labs/expect"
)

// grouped puts sides together that agree with the first of a group. of returns
// false if nothing is known of a side, and text says what all of a group have
// in common.
func grouped[T any](sides []side, of func(side) (T, bool), same func(a, b T) bool, text func([]T) string) []Group {
	var first []T
	var members [][]T
	var groups []Group
	for _, s := range sides {
		v, known := of(s)
		if !known {
			continue
		}
		i := slices.IndexFunc(first, func(f T) bool { return same(f, v) })
		if i < 0 {
			i = len(first)
			first, members, groups = append(first, v), append(members, nil), append(groups, Group{})
		}
		members[i] = append(members[i], v)
		groups[i].Sides = append(groups[i].Sides, s.Name)
	}
	for i := range groups {
		groups[i].Text = text(members[i])
	}
	return groups
}

// differing is a difference where there is one, for append.
func differing(kind Kind, subject string, groups []Group) []Difference {
	if len(groups) < 2 {
		return nil
	}
	return []Difference{{Kind: kind, Subject: subject, Groups: groups}}
}

// texts compares what is a text on each side.
func texts(kind Kind, subject string, sides []side, of func(side) (string, bool)) []Difference {
	return differing(kind, subject, grouped(sides, of,
		func(a, b string) bool { return a == b }, func(all []string) string { return all[0] }))
}

// alike are the sides that are in the same groups everywhere and were asked to
// differ.
func alike(sides []side, differences []Difference) []Alike {
	var classes [][]side
	for _, s := range sides {
		i := slices.IndexFunc(classes, func(class []side) bool {
			return !slices.ContainsFunc(differences, func(d Difference) bool { return d.group(class[0].Name) != d.group(s.Name) })
		})
		if i < 0 {
			i, classes = len(classes), append(classes, nil)
		}
		classes[i] = append(classes[i], s)
	}
	var out []Alike
	for _, class := range classes {
		a := Alike{}
		minors, gates := map[string]bool{}, map[string]bool{}
		for _, s := range class {
			a.Sides = append(a.Sides, s.Name)
			minors[s.minor()], gates[s.gates()] = true, true
		}
		if len(minors) > 1 {
			a.Asked = append(a.Asked, "minor version")
		}
		if len(gates) > 1 {
			a.Asked = append(a.Asked, "feature gates")
		}
		if len(a.Asked) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// group is the place of a side's group; -1 where it is in none.
func (d Difference) group(name string) int {
	return slices.IndexFunc(d.Groups, func(g Group) bool { return slices.Contains(g.Sides, name) })
}

// outcome is the result of a step.
type outcome struct {
	text   string
	status expect.Status
}
