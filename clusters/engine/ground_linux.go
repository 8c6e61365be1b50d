package engine

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func kernelRelease() (string, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "", fmt.Errorf("asking for the kernel's release: %w", err)
	}
	return unix.ByteSliceToString(name.Release[:]), nil
}

// freeBytes asks for the nearest folder upwards that is there and may be
// asked, as an engine's own folder is closed to others.
func freeBytes(path string) (int64, error) {
	for {
		var stat unix.Statfs_t
		err := unix.Statfs(path, &stat)
		if err == nil {
			return int64(stat.Bavail) * stat.Bsize, nil
		}
		parent := filepath.Dir(path)
		if parent == path {
			return 0, &fs.PathError{Op: "statfs", Path: path, Err: err}
		}
		path = parent
	}
}
