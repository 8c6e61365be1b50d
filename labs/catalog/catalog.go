// Package catalog holds the labs that come with the program.
package catalog

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed */scenario.hcl */*.yaml */README.md
var files embed.FS

// Names returns the labs' names, sorted.
func Names() ([]string, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the catalog: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Open returns the folder of the lab; fs.ErrNotExist where there is none of
// that name.
func Open(name string) (fs.FS, error) {
	if info, err := fs.Stat(files, name); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("no lab %q in the catalog: %w", name, fs.ErrNotExist)
	}
	return fs.Sub(files, name)
}
