package logs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// maxOpen bounds the files that are open at once.
const maxOpen = 128

// files keeps the lines of each container as text.
type files struct {
	dir string

	mu   sync.Mutex
	open map[string]*os.File
	last map[string]time.Time // the time of the line written last
	late map[string]bool      // files that are not in the order of time
	errs map[string]error     // the first error of each file
}

func newFiles(dir string) *files {
	return &files{
		dir: dir, open: map[string]*os.File{}, last: map[string]time.Time{},
		late: map[string]bool{}, errs: map[string]error{},
	}
}

// add appends a line to its container's file.
func (f *files) add(c *container, l line) {
	if f.dir == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Both names are DNS labels, which the API server made sure of.
	path := filepath.Join(f.dir, filepath.Base(c.pod.object.Name), filepath.Base(c.name)+".log")
	if f.errs[path] != nil {
		return
	}
	if err := f.append(path, l); err != nil {
		f.errs[path] = fmt.Errorf("keeping the log of container %s of pod %s: %w", c.name, c.pod.object.Name, err)
	}
}

func (f *files) append(path string, l line) error {
	file, err := f.file(path)
	if err != nil {
		return err
	}
	if l.at.Before(f.last[path]) {
		f.late[path] = true
	} else {
		f.last[path] = l.at
	}
	_, err = fmt.Fprintf(file, "%s %s\n", l.stamp, l.text)
	return err
}

// file returns the open file of a path; one of the others is closed for it
// where many are open.
func (f *files) file(path string) (*os.File, error) {
	if file := f.open[path]; file != nil {
		return file, nil
	}
	for other, file := range f.open {
		if len(f.open) < maxOpen {
			break
		}
		delete(f.open, other)
		if err := file.Close(); err != nil {
			f.errs[other] = err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	f.open[path] = file
	return file, nil
}

// close closes what is open and returns what could not be written.
func (f *files) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for path, file := range f.open {
		delete(f.open, path)
		if err := file.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing a log's file: %w", err))
		}
	}
	for _, err := range f.errs {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// sort closes the files and puts their lines into the order of time. Lines of
// one time keep the order in which they arrived.
func (f *files) sort() error {
	err := f.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	for path := range f.late {
		if sortErr := sortFile(path); sortErr != nil {
			err = errors.Join(err, fmt.Errorf("ordering a log's file: %w", sortErr))
			continue
		}
		delete(f.late, path)
	}
	return err
}

// sortFile orders a file's lines by their times. The file is replaced whole
// or not at all.
func sortFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	type entry struct {
		at   time.Time
		line []byte
	}
	var entries []entry
	for l := range bytes.Lines(text) {
		stamp, _, _ := bytes.Cut(l, []byte(" "))
		at, err := time.Parse(time.RFC3339Nano, string(stamp))
		if err != nil {
			return fmt.Errorf("%s has a line without a time: %w", path, err)
		}
		entries = append(entries, entry{at, l})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	return replace(path, func(w io.Writer) error {
		for _, e := range entries {
			if _, err := w.Write(e.line); err != nil {
				return err
			}
		}
		return nil
	})
}

func replace(path string, write func(io.Writer) error) error {
	part, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(part, 256<<10)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	err = errors.Join(err, part.Close())
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+".part"))
	}
	return nil
}
