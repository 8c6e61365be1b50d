package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// looksAgain is how often a journal is looked at for more.
const looksAgain = 150 * time.Millisecond

// Follow yields the entries of the journal in a run's folder, and those that
// are still being written, until the run is over or ctx ends. A line that is
// half written is waited for.
func Follow(ctx context.Context, dir string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		file, err := os.Open(filepath.Join(dir, File))
		if err != nil {
			yield(Entry{}, fmt.Errorf("opening the journal: %w", err))
			return
		}
		defer file.Close()
		f := &follower{in: bufio.NewReaderSize(file, 64<<10), dir: dir}
		for {
			e, err := f.next(ctx)
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// follower reads a journal that grows.
type follower struct {
	in   *bufio.Reader
	dir  string
	part []byte
	n    int
	over bool
}

// next returns the next entry, or io.EOF once the run is over, or ctx.
func (f *follower) next(ctx context.Context) (Entry, error) {
	for {
		text, err := f.in.ReadSlice('\n')
		f.part = append(f.part, text...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(f.part) > maxLine {
				return Entry{}, fmt.Errorf("journal, line %d: longer than %d bytes", f.n+1, maxLine)
			}
		case errors.Is(err, io.EOF):
			if f.over || ctx.Err() != nil {
				return Entry{}, io.EOF
			}
			if err := f.wait(ctx); err != nil {
				return Entry{}, err
			}
		case err != nil:
			return Entry{}, fmt.Errorf("reading the journal: %w", err)
		default:
			line := f.part
			f.part = nil
			f.n++
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var e Entry
			if err := json.Unmarshal(line, &e); err != nil {
				return Entry{}, fmt.Errorf("journal, line %d: %w", f.n, err)
			}
			return e, nil
		}
	}
}

// wait lets some time pass. A run that is over by then has nothing to add but
// what is read after that.
func (f *follower) wait(ctx context.Context) error {
	alive, err := Alive(f.dir)
	if err != nil {
		return err
	}
	if f.over = !alive; f.over {
		return nil
	}
	_ = clusters.Pause(ctx, looksAgain) // who follows sees the end of ctx
	return nil
}
