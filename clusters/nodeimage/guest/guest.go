// Package guest holds what is put into node images beside what others publish:
// the sources of programs that are compiled for them, and files of a node's
// root file system.
//
// All of it is part of the keys by which built parts are found again: a
// changed byte lets those parts be built anew.
package guest

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed pause/main.go
//go:embed flanneld/main.go flanneld/agent.go flanneld/api.go flanneld/flannel.go
var sources embed.FS

//go:embed files
var files embed.FS

// Sources are the sources of the guest programs; the folder of each is named
// like the program: "pause" and "flanneld".
func Sources() fs.FS { return sources }

// Files are the files of a node's root file system.
func Files() (fs.FS, error) {
	root, err := fs.Sub(files, "files")
	if err != nil {
		return nil, fmt.Errorf("reading embedded files: %w", err)
	}
	return root, nil
}
