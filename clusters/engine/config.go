package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// runtimeName is the name under which the engine knows lab's OCI runtime.
const runtimeName = "lab"

// daemonSettings are the keys of daemon.json, each kept as it was written.
type daemonSettings map[string]json.RawMessage

// readSettings returns the settings in the file, none where there is no file.
func readSettings(path string) (daemonSettings, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return daemonSettings{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the engine's configuration: %w", err)
	}
	settings := daemonSettings{}
	if len(bytes.TrimSpace(text)) == 0 {
		return settings, nil
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, fmt.Errorf("reading the engine's configuration %s: %w; correct it by hand, it is left as it is", path, err)
	}
	return settings, nil
}

// defaultRuntime returns what the settings name, "" for nothing.
func (s daemonSettings) defaultRuntime() (string, error) {
	var name string
	if raw, ok := s["default-runtime"]; ok {
		if err := json.Unmarshal(raw, &name); err != nil {
			return "", fmt.Errorf("reading default-runtime of the engine's configuration: %w", err)
		}
	}
	return name, nil
}

// withRuntime returns the settings with lab's runtime at path registered and
// made the default, and whether that changes anything. All other keys stay.
func (s daemonSettings) withRuntime(path string) (out daemonSettings, changed bool, err error) {
	name, err := s.defaultRuntime()
	if err != nil {
		return nil, false, err
	}
	runtimes := map[string]json.RawMessage{}
	if raw, ok := s["runtimes"]; ok {
		if err := json.Unmarshal(raw, &runtimes); err != nil {
			return nil, false, fmt.Errorf("reading runtimes of the engine's configuration: %w", err)
		}
	}
	var ours struct {
		Path string `json:"path"`
		Args []any  `json:"runtimeArgs"`
	}
	if raw, ok := runtimes[runtimeName]; ok {
		if err := json.Unmarshal(raw, &ours); err != nil {
			return nil, false, fmt.Errorf("reading the runtime %q of the engine's configuration: %w", runtimeName, err)
		}
	}
	if name == runtimeName && ours.Path == path && len(ours.Args) == 0 {
		return s, false, nil
	}
	entry, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return nil, false, err
	}
	if runtimes == nil {
		runtimes = map[string]json.RawMessage{}
	}
	runtimes[runtimeName] = entry
	list, err := json.Marshal(runtimes)
	if err != nil {
		return nil, false, err
	}
	out = daemonSettings{}
	for key, value := range s {
		out[key] = value
	}
	out["runtimes"], out["default-runtime"] = list, json.RawMessage(`"`+runtimeName+`"`)
	return out, true, nil
}

// writeSettings replaces the file, and keeps what was there beside it under a
// name that ends with the time; backup is that name, "" where nothing was
// there.
func writeSettings(path string, s daemonSettings, now time.Time) (backup string, err error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", fmt.Errorf("writing the engine's configuration: %w", err)
	}
	before, err := os.ReadFile(path)
	switch {
	case err == nil:
		backup = path + "." + now.UTC().Format("20060102T150405Z") + ".bak"
		if err := replaceFile(backup, bytes.NewReader(before), 0o600); err != nil {
			return "", fmt.Errorf("keeping a copy of the engine's configuration: %w", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("reading the engine's configuration: %w", err)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := replaceFile(path, bytes.NewReader(append(text, '\n')), mode); err != nil {
		return backup, fmt.Errorf("writing the engine's configuration: %w", err)
	}
	return backup, nil
}

// folderOf makes sure that the folder of path is there.
func folderOf(path string) (string, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, nil
}
