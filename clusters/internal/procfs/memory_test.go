package procfs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAvailableMemory(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       int64
		fails      bool
	}{
		{name: "in the middle", text: "MemTotal: 8 kB\nMemAvailable:    4 kB\nBuffers: 2 kB\n", want: 4096},
		{name: "the last line, without an end", text: "MemTotal: 8 kB\nMemAvailable: 4 kB", want: 4096},
		{name: "an old kernel", text: "MemTotal: 8 kB\nMemFree: 4 kB\n", fails: true},
		{name: "without a number", text: "MemAvailable:\n", fails: true},
		{name: "no number", text: "MemAvailable: much\n", fails: true},
		{name: "empty", fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proc := t.TempDir()
			if err := os.WriteFile(filepath.Join(proc, "meminfo"), []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := AvailableMemory(proc); got != tc.want || (err != nil) != tc.fails {
				t.Errorf("AvailableMemory = %d, %v; want %d", got, err, tc.want)
			}
		})
	}
	if _, err := AvailableMemory(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("without a file: %v", err)
	}
}
