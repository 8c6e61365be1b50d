package gotool

import (
	"encoding/json"
	"time"

	"github.com/kind-lab/lab/clusters/internal/build"
)

// Module is one answer of the Go command about a module.
type Module struct {
	Path, Version string
	Versions      []string
	Time          *time.Time
	Dir, GoMod    string
	GoVersion     string
	Origin        *struct{ Hash string }
	// Err is why it is not available; empty if it is.
	Err string
}

// UnmarshalJSON reads both forms of the Error field: "go list" writes an
// object, "go mod download" a string.
func (m *Module) UnmarshalJSON(data []byte) error {
	type plain Module
	aux := struct {
		*plain
		Error json.RawMessage
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(data, &aux); err != nil {
		return err
	}
	if len(aux.Error) == 0 {
		return nil
	}
	var object struct{ Err string }
	if json.Unmarshal(aux.Error, &object) == nil {
		m.Err = object.Err
		return nil
	}
	return json.Unmarshal(aux.Error, &m.Err)
}

// FirstError is the first error of mods, in one line.
func FirstError(mods []Module) string {
	for _, m := range mods {
		if m.Err != "" {
			return build.OneLine(m.Err)
		}
	}
	return "the Go command said nothing about it"
}
