package editor

import (
	"bytes"
	"errors"
	"io/fs"
	"sort"
	"time"
)

// overlay is a folder with what the editor has in its buffers in place of, or
// beside, what is on disk. Names are those of files directly in the folder.
type overlay struct {
	fs.FS
	buffers map[string]string
}

// Open opens a buffer, or else a file.
func (o overlay) Open(name string) (fs.File, error) {
	content, ok := o.buffers[name]
	if !ok {
		return o.FS.Open(name)
	}
	return &buffer{bytes.NewReader([]byte(content)), bufferInfo{name, int64(len(content))}}, nil
}

// Stat implements fs.StatFS, as the decoder wants it.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	if content, ok := o.buffers[name]; ok {
		return bufferInfo{name, int64(len(content))}, nil
	}
	return fs.Stat(o.FS, name)
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	if name != "." {
		return entries, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return entries, err
	}
	there := map[string]bool{}
	for _, entry := range entries {
		there[entry.Name()] = true
	}
	for name, content := range o.buffers {
		if !there[name] {
			entries = append(entries, fs.FileInfoToDirEntry(bufferInfo{name, int64(len(content))}))
		}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, nil
}

type buffer struct {
	*bytes.Reader
	info bufferInfo
}

func (b *buffer) Stat() (fs.FileInfo, error) { return b.info, nil }
func (b *buffer) Close() error               { return nil }

type bufferInfo struct {
	name string
	size int64
}

func (i bufferInfo) Name() string     { return i.name }
func (i bufferInfo) Size() int64      { return i.size }
func (bufferInfo) Mode() fs.FileMode  { return 0o644 }
func (bufferInfo) ModTime() time.Time { return time.Time{} }
func (bufferInfo) IsDir() bool        { return false }
func (bufferInfo) Sys() any           { return nil }

var (
	_ fs.StatFS    = overlay{}
	_ fs.ReadDirFS = overlay{}
)
