package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/report/document"
)

// objects compares the conditions of Jobs and of other objects at the end.
func objects(sides []side) []Difference {
	var names []string
	for _, s := range sides {
		for _, o := range s.picture.Objects {
			if name := o.Kind + "/" + o.Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var out []Difference
	for _, name := range names {
		out = append(out, texts(KindCondition, name, sides, func(s side) (string, bool) {
			i := slices.IndexFunc(s.picture.Objects, func(o document.ObjectPicture) bool { return o.Kind+"/"+o.Name == name })
			if i < 0 {
				return "was not seen", strings.HasPrefix(name, "Job/") // others' names may hold what was generated
			}
			return conditions(s.picture.Objects[i]), true
		})...)
	}
	return out
}

// conditions are those that an object has at the end, and whether it is gone.
func conditions(o document.ObjectPicture) string {
	last := map[string]string{}
	for _, c := range o.Conditions {
		if c.Status == "" {
			delete(last, c.Type)
		} else {
			last[c.Type] = c.Status
		}
	}
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(last)) {
		all = append(all, kind+"="+last[kind])
	}
	if o.GoneAt != nil {
		all = append(all, "gone")
	}
	if len(all) == 0 {
		return "no condition"
	}
	return strings.Join(all, ", ")
}
