// Package procfs reads what the kernel tells of a host.
package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// AvailableMemory returns the bytes that programs can still take; proc is where the
// proc file system is.
func AvailableMemory(proc string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(proc, "meminfo"))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no MemAvailable in %s/meminfo", proc)
}
