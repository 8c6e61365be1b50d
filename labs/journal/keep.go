package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The folder of the run with the scenario's files as they were, and in it the
// values that its variables were given, the sets of clusters that it took by name
// (a JSON list), and what its charts and kustomizations were rendered to (a JSON
// list).
const (
	ScenarioFolder  = "scenario"
	GivenFile       = "given.labvars"
	ClusterSetsFile = "given.cluster-sets.json"
	RenderedFile    = "given.rendered.json"
)

// Given is what a scenario was given beside its files; empty fields are not
// kept.
type Given struct {
	// Variables is kept as GivenFile, ClusterSets as ClusterSetsFile, and Rendered
	// as RenderedFile.
	Variables, ClusterSets, Rendered []byte
}

// maxKept bounds a file of the scenario that is kept, in bytes.
const maxKept = 8 << 20

// KeepScenario copies files of a scenario, and what it was given beside them,
// into the run's folder. Those that are there already stay as they are. What
// could not be copied is in the error.
func (j *Journal) KeepScenario(from fs.FS, names []string, given Given) error {
	var errs []error
	dir := filepath.Join(j.dir, ScenarioFolder)
	for _, name := range names {
		errs = append(errs, keep(from, name, filepath.Join(dir, filepath.FromSlash(name))))
	}
	for name, data := range map[string][]byte{GivenFile: given.Variables, ClusterSetsFile: given.ClusterSets, RenderedFile: given.Rendered} {
		if len(data) > 0 {
			errs = append(errs, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keeping the scenario beside the records: %w", err)
	}
	return nil
}

// keep copies a file, unless it is there already. What could not be copied whole
// is not left behind.
func keep(from fs.FS, name, to string) (err error) {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
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
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(err, os.Remove(to))
		}
	}()
	n, err := io.Copy(out, io.LimitReader(in, maxKept+1))
	if err == nil && n > maxKept {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxKept)
	}
	return err
}

// Append writes an intent behind the journal of a run that is gone, and returns
// once it is on disk. A last line that was cut off goes. It fails with ErrAlive
// where the run still goes on.
func Append(dir string, at time.Time, intent Intent) error {
	name := filepath.Join(dir, File)
	if err := mend(dir, name); err != nil {
		return err
	}
	j, err := Create(filepath.Dir(dir), filepath.Base(dir))
	if err != nil {
		return err
	}
	return errors.Join(j.Intent(at, intent), j.Close())
}

// GiveUpRoom removes the room that a run which is gone kept for its report.
func GiveUpRoom(dir string) error {
	if alive, err := Alive(dir); err != nil || alive {
		return err
	}
	if err := os.Remove(filepath.Join(dir, reserveFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("freeing the space reserved for the report of the run: %w", err)
	}
	return nil
}

// mend cuts a file after its last whole line.
func mend(dir, name string) error {
	alive, err := Alive(dir)
	if err != nil {
		return err
	}
	if alive {
		return fmt.Errorf("%s: %w", dir, ErrAlive)
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	whole, err := lastLine(file, size)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if err := file.Truncate(whole); err != nil {
		return fmt.Errorf("repairing the journal: %w", err)
	}
	return nil
}

// lastLine is where the last whole line ends.
func lastLine(file io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(block)))
		part := block[:end-begin]
		if _, err := file.ReadAt(part, begin); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return 0, nil
}
