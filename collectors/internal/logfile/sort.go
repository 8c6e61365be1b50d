package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Sort closes the files and puts their lines into the order of time. Lines of
// one time keep the order in which they arrived.
func (f *Folder) Sort() error {
	err := f.Close()
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
