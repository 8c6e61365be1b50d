package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Register notes in a folder of the host where a run's folder is, so that who
// looks for runs from elsewhere finds it. The function that it returns takes
// the note back.
func Register(host, run string) (func() error, error) {
	whole, err := filepath.Abs(run)
	if err != nil {
		return nil, fmt.Errorf("registering the run: %w", err)
	}
	if err := os.MkdirAll(host, 0o700); err != nil {
		return nil, fmt.Errorf("registering the run: %w", err)
	}
	note := filepath.Join(host, filepath.Base(whole))
	if err := os.WriteFile(note, []byte(whole+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("registering the run: %w", err)
	}
	return func() error {
		if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("unregistering the run: %w", err)
		}
		return nil
	}, nil
}

// Registered returns the IDs of the registered runs that still go on. Notes of
// those that do not are removed.
func Registered(host string) ([]string, error) {
	entries, err := os.ReadDir(host)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	var alive []string
	for _, e := range entries {
		note := filepath.Join(host, e.Name())
		where, err := os.ReadFile(note)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just ended
		}
		if err != nil {
			return nil, fmt.Errorf("looking for runs: %w", err)
		}
		on, err := Alive(strings.TrimSpace(string(where)))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case on:
			alive = append(alive, e.Name())
		default:
			if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("unregistering a run that has ended: %w", err)
			}
		}
	}
	return alive, nil
}
