package ociruntime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Limits is what this host can give to a container.
type Limits struct {
	// Bounding holds the capabilities that are available.
	Bounding Bounding
	// LowestOOM returns the lowest oom_score_adj that can be set, not lower
	// than wanted. It is called only where CAP_SYS_RESOURCE is missing.
	LowestOOM func(wanted int) (int, error)
	// HardLimit returns this process's hard resource limit, named as in
	// setrlimit(2), such as "RLIMIT_NOFILE", and false where the name is not
	// known. It is called only where CAP_SYS_RESOURCE is missing.
	HardLimit func(name string) (limit uint64, known bool)
}

// object is a JSON object of which every value is kept as it was written.
type object = map[string]json.RawMessage

// RewriteSpec takes out of a container's specification (config.json of the
// OCI runtime specification) what the limits do not allow, and says what was
// changed. All else is kept, unknown fields included; where nothing was
// changed, the result is spec itself.
func RewriteSpec(spec []byte, limits Limits) (out []byte, changes []string, err error) {
	var top object
	if err := decode(spec, &top); err != nil {
		return nil, nil, fmt.Errorf("reading the container's specification: %w", err)
	}
	process, ok := top["process"]
	if !ok {
		return spec, nil, nil
	}
	changed, changes, err := RewriteProcess(process, limits)
	if err != nil || len(changes) == 0 {
		return spec, nil, err
	}
	top["process"] = changed
	out, err = json.Marshal(top)
	return out, changes, err
}

// RewriteProcess is RewriteSpec for a process alone: the field process of a
// specification, and what exec is given.
func RewriteProcess(process []byte, limits Limits) (out []byte, changes []string, err error) {
	var fields object
	if err := decode(process, &fields); err != nil {
		return nil, nil, fmt.Errorf("reading the process's specification: %w", err)
	}
	steps := []func(object, Limits) ([]string, error){dropCapabilities}
	if !limits.Bounding.Has(sysResource) {
		steps = append(steps, raiseOOM, lowerRlimits)
	}
	for _, step := range steps {
		more, err := step(fields, limits)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, more...)
	}
	if len(changes) == 0 {
		return process, nil, nil
	}
	out, err = json.Marshal(fields)
	return out, changes, err
}

func dropCapabilities(process object, limits Limits) ([]string, error) {
	var sets object
	if err := decodeField(process, "capabilities", &sets); err != nil || sets == nil {
		return nil, err
	}
	var changes []string
	for name := range sets {
		var wanted []string
		if err := decodeField(sets, name, &wanted); err != nil {
			return nil, err
		}
		kept := slices.DeleteFunc(slices.Clone(wanted), func(c string) bool { return !limits.Bounding.Has(c) })
		if len(kept) == len(wanted) {
			continue
		}
		changes = append(changes, fmt.Sprintf("capabilities.%s: %d of %d kept", name, len(kept), len(wanted)))
		if err := encodeField(sets, name, kept); err != nil {
			return nil, err
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	slices.Sort(changes)
	return changes, encodeField(process, "capabilities", sets)
}

func raiseOOM(process object, limits Limits) ([]string, error) {
	var wanted *int
	if err := decodeField(process, "oomScoreAdj", &wanted); err != nil || wanted == nil {
		return nil, err
	}
	lowest, err := limits.LowestOOM(*wanted)
	if err != nil || lowest <= *wanted {
		return nil, err
	}
	return []string{fmt.Sprintf("oomScoreAdj: %d instead of %d", lowest, *wanted)}, encodeField(process, "oomScoreAdj", lowest)
}

func lowerRlimits(process object, limits Limits) ([]string, error) {
	var rlimits []object
	if err := decodeField(process, "rlimits", &rlimits); err != nil {
		return nil, err
	}
	var changes []string
	for _, rlimit := range rlimits {
		change, err := lowerRlimit(rlimit, limits)
		if err != nil {
			return nil, err
		}
		if change != "" {
			changes = append(changes, change)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	return changes, encodeField(process, "rlimits", rlimits)
}

// lowerRlimit returns what it changed, "" for nothing.
func lowerRlimit(rlimit object, limits Limits) (string, error) {
	var name string
	var hard, soft uint64
	for field, into := range map[string]any{"type": &name, "hard": &hard, "soft": &soft} {
		if err := decodeField(rlimit, field, into); err != nil {
			return "", err
		}
	}
	limit, known := limits.HardLimit(name)
	if !known || hard <= limit {
		return "", nil
	}
	if err := encodeField(rlimit, "hard", limit); err != nil {
		return "", err
	}
	change := fmt.Sprintf("rlimits: %s at most %d instead of %d", name, limit, hard)
	return change, encodeField(rlimit, "soft", min(soft, limit))
}

// decode reads the one JSON value that data holds.
func decode(data []byte, into *object) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if *into == nil {
		return fmt.Errorf("not an object but %s", bytes.TrimSpace(data))
	}
	return nil
}

// decodeField leaves into as it is where the field is not there or null.
func decodeField(fields object, name string, into any) error {
	raw, ok := fields[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("reading %q of the specification: %w", name, err)
	}
	return nil
}

func encodeField(fields object, name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing %q of the specification: %w", name, err)
	}
	fields[name] = raw
	return nil
}
