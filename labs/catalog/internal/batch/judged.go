package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// judgement is when a lab was last judged, and what the result was.
type judgement struct {
	At time.Time `json:"at"`
	// Commit is the commit that was checked out; empty outside of a repository.
	Commit string `json:"commit,omitempty"`
	// Result is "pass", "fail" or "error".
	Result string `json:"result"`
}

// asExpected says whether the lab passed.
func (j judgement) asExpected() bool { return j.Result == "pass" }

// history is a file that holds the last judgement of each lab. It outlives the
// checkout, so that each run of the batch knows what earlier ones judged. The
// zero value has no file: nothing was judged and nothing is kept.
type history struct{ path string }

// read returns the judgements by lab. A file that is not there, or that is no
// JSON, holds none; the error is about a file that is there and unreadable.
func (h history) read() (map[string]judgement, error) {
	judged := map[string]judgement{}
	if h.path == "" {
		return judged, nil
	}
	text, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return judged, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading when the labs were judged: %w", err)
	}
	if json.Unmarshal(text, &judged) != nil {
		return map[string]judgement{}, nil
	}
	return judged, nil
}

// add notes the judgement of a lab at once, so that a batch that is killed
// later loses nothing. Other processes may add to the same file.
func (h history) add(lab string, j judgement) (err error) {
	if h.path == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("noting that lab %s was judged: %w", lab, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		return err
	}
	lock := flock.New(h.path + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	judged, err := h.read()
	if err != nil {
		return err
	}
	judged[lab] = j
	text, err := json.MarshalIndent(judged, "", "  ")
	if err != nil {
		return err
	}
	part := h.path + ".part"
	if err := os.WriteFile(part, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, h.path)
}
