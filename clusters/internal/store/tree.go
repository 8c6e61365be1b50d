package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveTree removes a folder of the cache with all that is in it. It refuses
// to where something is still mounted below it.
func RemoveTree(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for mounts below %s: %w", dir, err)
	}
	if mount := mountBelow(string(mounts), dir); mount != "" {
		return fmt.Errorf("%s is still mounted: unmount it, then try again", mount)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return nil
}

// mountBelow is the first mount at or below dir in a mountinfo file (see
// proc(5)), or empty. Everything is below the root.
func mountBelow(mountinfo, dir string) string {
	dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator))
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		// Blanks and the like are written as octal numbers.
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if at == dir || strings.HasPrefix(at, dir+string(filepath.Separator)) {
			return at
		}
	}
	return ""
}

// treeSize is the size of all regular files below dir, in bytes.
func treeSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measuring %s: %w", dir, err)
	}
	return total, nil
}
