package document

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/kind-lab/lab/collectors"
)

// objectFold is an object other than a pod.
type objectFold struct {
	of         collectors.Object
	conditions conditionFold
	gone       *Instant
}

// jobConditions are a Job's conditions; nil if the record has none.
func jobConditions(r collectors.Record) map[string]string {
	if r.Job == nil {
		return nil
	}
	return r.Job.Conditions
}

// contentConditions are an object's conditions, where it has such as most
// kinds have.
func contentConditions(content json.RawMessage) map[string]string {
	var object struct {
		Status struct {
			Conditions []struct {
				Type, Status string
			}
		}
	}
	if len(content) == 0 || json.Unmarshal(content, &object) != nil {
		return nil
	}
	all := map[string]string{}
	for _, c := range object.Status.Conditions {
		all[c.Type] = c.Status
	}
	return all
}

// conditionFold are the changes of an object's conditions.
type conditionFold struct {
	now     map[string]string
	changes []ConditionChange
}

func (f *conditionFold) add(at Instant, conditions map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if f.now[name] != conditions[name] {
			f.changes = append(f.changes, ConditionChange{Instant: at, Type: name, Status: conditions[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.now)) {
		if _, there := conditions[name]; !there {
			f.changes = append(f.changes, ConditionChange{Instant: at, Type: name})
		}
	}
	f.now = conditions
}
