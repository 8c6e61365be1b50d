package debian

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program is an ELF program of 64 bits whose only segment names its loader.
func program(loader string, size uint64) []byte {
	b := make([]byte, 120, 120+len(loader))
	copy(b, "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(b[16:], 2)  // a program
	le.PutUint16(b[18:], 62) // x86-64
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[32:], 64) // where the segments are described
	le.PutUint16(b[52:], 64)
	le.PutUint16(b[54:], 56)
	le.PutUint16(b[56:], 1)
	le.PutUint16(b[58:], 64)
	le.PutUint32(b[64:], 3) // its loader
	le.PutUint64(b[72:], 120)
	le.PutUint64(b[96:], size)
	return append(b, loader...)
}

// gathers gathers one program of a root file system that also has a loader.
func gathers(t *testing.T, content []byte) ([]string, error) {
	t.Helper()
	root := t.TempDir()
	for name, data := range map[string][]byte{"bin/p": content, "lib/ld.so": []byte("loader")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := NewClosure(root)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Add("bin/p")
	return described(c.List()), err
}

func TestCorruptPrograms(t *testing.T) {
	loader := "/lib/ld.so\x00"
	for _, tc := range []struct {
		name    string
		content []byte
		says    string
	}{
		{name: "whole", content: program(loader, uint64(len(loader)))},
		{name: "a loader's name without an end", content: program(loader, 1<<62), says: "reading the loader of"},
		{name: "cut off in the loader's name", content: program("/lib", uint64(len(loader))), says: "reading the loader of"},
		{name: "another loader", content: program("/lib/other\x00", 11), says: "gathering lib/other"},
		{name: "its own loader", content: program("/bin/p\x00", 7)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := gathers(t, tc.content)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("gathered %q, %v; want %q", got, err, tc.says)
			}
			if tc.name == "whole" && strings.Join(got, " ") != "bin/p lib/ld.so" {
				t.Errorf("gathered %q", got)
			}
		})
	}
}

// FuzzPrograms gathers programs that may be corrupt: it ends, with an error or
// with the program itself.
func FuzzPrograms(f *testing.F) {
	f.Add(program("/lib/ld.so\x00", 11))
	f.Add(program("/lib/ld.so\x00", 1<<63))
	f.Add([]byte("#!/bin/sh\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if got, err := gathers(t, content); err == nil && (len(got) == 0 || got[0] != "bin/p") {
			t.Errorf("gathered %q", got)
		}
	})
}
