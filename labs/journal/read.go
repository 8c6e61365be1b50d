package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// maxLine bounds one line of the journal: both outputs of a command, 1 MiB
// each, escaped at their worst, and what is around them.
const maxLine = 16 << 20

// Entries yields the entries of the journal in a run's folder, in order. A
// last line without its end is what a run leaves that was cut off, and ends
// the sequence; anything else that is not an entry is an error with its line.
func Entries(dir string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		file, err := os.Open(filepath.Join(dir, File))
		if err != nil {
			yield(Entry{}, fmt.Errorf("opening the journal: %w", err))
			return
		}
		defer file.Close()
		Decode(file)(yield)
	}
}

// Decode yields the entries that r holds, as Entries does.
func Decode(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				return
			}
			var e Entry
			if err == nil && len(bytes.TrimSpace(line)) > 0 {
				err = json.Unmarshal(line, &e)
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("journal, line %d: %w", n, err))
				return
			}
			if len(bytes.TrimSpace(line)) > 0 && !yield(e, nil) {
				return
			}
		}
	}
}

// readLine returns io.EOF also for a last line that has no end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
	}
}

// Unfinished returns the clusters that the journal's run meant to create and
// did not see destroyed, in the order of their creation. Done says of one that
// it became ready.
func Unfinished(entries iter.Seq2[Entry, error]) ([]Intent, error) {
	var open []Intent
	for e, err := range entries {
		if err != nil {
			return open, err
		}
		if e.Intent == nil {
			continue
		}
		switch e.Intent.Action {
		case ActionCreate:
			if !e.Intent.Done {
				open = append(open, *e.Intent)
				break
			}
			for i := range open {
				open[i].Done = open[i].Done || open[i].ID == e.Intent.ID
			}
		case ActionDestroy:
			if e.Intent.Done {
				open = without(open, e.Intent.ID)
			}
		}
	}
	return open, nil
}

func without(intents []Intent, id string) []Intent {
	var kept []Intent
	for _, i := range intents {
		if i.ID != id {
			kept = append(kept, i)
		}
	}
	return kept
}

// Alive says whether the run of the folder still goes on.
func Alive(dir string) (bool, error) {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(path)
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("trying the lock of %s: %w", dir, err)
	}
	if !free {
		return true, nil
	}
	return false, lock.Unlock()
}
