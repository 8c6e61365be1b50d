package wiring

import (
	"runtime/debug"
)

// module is this module's path.
const module = "github.com/kind-lab/lab"

// Version is lab's own: a release, or the commit it was built from. In a program
// of another module it is the version that the program requires.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Path != module {
		for _, d := range info.Deps {
			if d.Path == module {
				return d.Version
			}
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
