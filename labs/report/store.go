package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FileName is the name of a report's file in the run's folder.
const FileName = "run.json"

// ErrVersion says that a report cannot be read by this version of lab.
var ErrVersion = errors.New("this lab cannot read the version of the report")

// Save writes the report to FileName in a folder. A reader sees the report
// that was there before or this one, never a part, also after a crash.
func Save(dir string, r Report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	path := filepath.Join(dir, FileName)
	if err := replace(path, append(data, '\n')); err != nil {
		return fmt.Errorf("writing the report %s: %w", path, err)
	}
	return nil
}

// replace writes a file's new content beside it, and puts it in its place once
// it is on the disk.
func replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes a renaming in a folder last.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Load reads a report that Save wrote; path names the file. A report of a
// newer model, or a file that holds none, is an ErrVersion.
func Load(path string) (Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Report{}, fmt.Errorf("reading the report: %w", err)
	}
	r, err := decode(data)
	if err != nil {
		return Report{}, fmt.Errorf("reading the report %s: %w", path, err)
	}
	return r, nil
}

func decode(data []byte) (Report, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Report{}, fmt.Errorf("it is not a report, or it is incomplete: %w", err)
	}
	if head.Version > ModelVersion {
		return Report{}, fmt.Errorf("%w: version %d; this lab reads versions up to %d. A newer lab wrote the report: use that one", ErrVersion, head.Version, ModelVersion)
	}
	if head.Version < 1 {
		return Report{}, fmt.Errorf("%w: version %d; the file is not a report of lab", ErrVersion, head.Version)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, fmt.Errorf("it is damaged: %w", err)
	}
	return r, nil
}
