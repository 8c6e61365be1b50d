package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The folder of the run with the scenario's files as they were, and in it the
// values that its variables were given.
const (
	ScenarioFolder = "scenario"
	GivenFile      = "given.labvars"
)

// maxKept bounds a file of the scenario that is kept, in bytes.
const maxKept = 8 << 20

// KeepScenario copies files of a scenario, and the values of its variables,
// into the run's folder. Those that are there already stay as they are. What
// could not be copied is in the error.
func (j *Journal) KeepScenario(from fs.FS, names []string, given []byte) error {
	var errs []error
	dir := filepath.Join(j.dir, ScenarioFolder)
	for _, name := range names {
		errs = append(errs, keep(from, name, filepath.Join(dir, filepath.FromSlash(name))))
	}
	if len(given) > 0 {
		errs = append(errs, os.WriteFile(filepath.Join(dir, GivenFile), given, 0o600))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keeping the scenario beside the records: %w", err)
	}
	return nil
}

func keep(from fs.FS, name, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	n, err := io.Copy(out, io.LimitReader(in, maxKept+1))
	if err == nil && n > maxKept {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxKept)
	}
	return err
}
