// Package logfile keeps the lines of containers' logs as text: below a folder
// each container has a file POD/CONTAINER.log, one line for each line of the
// log: its time in RFC 3339 with nanoseconds, a space, the text.
package logfile

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// maxOpen bounds the files that are open at once.
	maxOpen = 128
	// buffered is how many bytes of each open file may wait for a Flush.
	buffered = 32 << 10
)

// Folder is the folder of the files. It is safe for concurrent use.
type Folder struct {
	dir string

	mu    sync.Mutex
	open  map[string]*file
	last  map[string]time.Time // the time of the line written last
	late  map[string]bool      // files that are not in the order of time
	errs  map[string]error     // the first error of each file
	bytes int64
}

// file is one that is open.
type file struct {
	f   *os.File
	out *bufio.Writer
}

// Log is the file of one container.
type Log struct {
	folder    *Folder
	path      string
	pod, name string
}

// New returns the folder dir, which is made when the first line is added.
// Empty means that nothing is kept.
func New(dir string) *Folder {
	return &Folder{dir: dir, open: map[string]*file{}, last: map[string]time.Time{}, late: map[string]bool{}, errs: map[string]error{}}
}

// Of returns the file of a container. Pods of one name share theirs.
func (f *Folder) Of(pod, container string) *Log {
	// Both names are DNS labels, which the API server made sure of.
	path := filepath.Join(f.dir, filepath.Base(pod), filepath.Base(container)+".log")
	return &Log{folder: f, path: path, pod: pod, name: container}
}

// Add appends a line. It may stay in memory until the next Flush. A file that
// failed once takes no more; Close returns why.
func (l *Log) Add(at time.Time, text string) {
	f := l.folder
	if f.dir == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.errs[l.path] != nil {
		return
	}
	if err := f.append(l.path, at, text); err != nil {
		f.errs[l.path] = fmt.Errorf("keeping the log of container %s of pod %s: %w", l.name, l.pod, err)
	}
}

// Size returns the bytes that a line takes in its file, at most.
func Size(text string) int64 { return int64(len(text)) + int64(len(time.RFC3339Nano)) + 2 }

// Bytes counts what was written.
func (f *Folder) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bytes
}

func (f *Folder) append(path string, at time.Time, text string) error {
	open, err := f.file(path)
	if err != nil {
		return err
	}
	if at.Before(f.last[path]) {
		f.late[path] = true
	} else {
		f.last[path] = at
	}
	stamp := append(at.UTC().AppendFormat(open.out.AvailableBuffer(), time.RFC3339Nano), ' ')
	f.bytes += int64(len(stamp) + len(text) + 1)
	// A writer that failed fails again: the last error is enough.
	_, _ = open.out.Write(stamp)
	_, _ = open.out.WriteString(text)
	return open.out.WriteByte('\n')
}

// file returns the open file of a path; one of the others is closed for it
// where many are open.
func (f *Folder) file(path string) (*file, error) {
	if open := f.open[path]; open != nil {
		return open, nil
	}
	for other, open := range f.open {
		if len(f.open) < maxOpen {
			break
		}
		delete(f.open, other)
		if err := open.close(); err != nil {
			f.errs[other] = err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	handle, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	f.open[path] = &file{f: handle, out: bufio.NewWriterSize(handle, buffered)}
	return f.open[path], nil
}

func (o *file) close() error { return errors.Join(o.out.Flush(), o.f.Close()) }

// Flush hands what was added to the operating system.
func (f *Folder) Flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, open := range f.open {
		if err := open.out.Flush(); err != nil && f.errs[path] == nil {
			f.errs[path] = fmt.Errorf("writing %s: %w", path, err)
		}
	}
}

// Close closes what is open and returns what could not be written. Lines that
// are added later open their file again.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for path, open := range f.open {
		delete(f.open, path)
		if err := open.close(); err != nil && f.errs[path] == nil {
			errs = append(errs, fmt.Errorf("closing a log's file: %w", err))
		}
	}
	for _, err := range f.errs {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
