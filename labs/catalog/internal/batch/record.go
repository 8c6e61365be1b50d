package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/catalog/internal/matrix"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// maxArchive bounds the archive of a lab, in bytes: they are kept with the
// sources.
const maxArchive = 400 << 10

// record keeps a run as the recording of its lab, in place of the former one,
// and says how long it is. What would lose something of the former one, holds a
// path of this machine or is too long is not kept.
func (b batch) record(j job, r report.Report) (string, error) {
	dir := filepath.Join(b.root, j.name, "recordings")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	former, err := matrix.Archives(b.root, j.name)
	if err != nil {
		return "", err
	}
	fresh := filepath.Join(dir, r.ID+".part")
	if err := pack(fresh, r.Folder); err != nil {
		return "", errors.Join(err, remove(fresh))
	}
	size, err := b.check(j, fresh, former)
	if err != nil {
		return "", errors.Join(fmt.Errorf("not kept: %w", err), remove(fresh))
	}
	for _, name := range former {
		if err := os.Remove(name); err != nil {
			return "", err
		}
	}
	to := filepath.Join(dir, r.ID+replay.ArchiveSuffix)
	return fmt.Sprintf("%s, %d KiB", to, (size+1023)/1024), os.Rename(fresh, to)
}

func pack(to, folder string) error {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(replay.Pack(file, folder), file.Close())
}

func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// check says how long an archive is, and why it cannot be kept.
func (b batch) check(j job, archive string, former []string) (int64, error) {
	info, err := os.Stat(archive)
	if err != nil {
		return 0, err
	}
	if info.Size() > maxArchive {
		return 0, fmt.Errorf("the archive has %d KiB, and at most %d are wanted", info.Size()>>10, maxArchive>>10)
	}
	has, err := keys(archive)
	if err != nil {
		return 0, err
	}
	m, err := matrix.Module(j.name)
	if err != nil {
		return 0, err
	}
	var declared []string
	for _, s := range m.Scenarios {
		for _, c := range s.Clusters {
			declared = append(declared, s.Title()+"/"+c.Name)
		}
	}
	for _, name := range former {
		had, err := keys(name)
		if err != nil {
			return 0, err
		}
		had = slices.DeleteFunc(had, func(key string) bool { return slices.Contains(has, key) || !slices.Contains(declared, key) })
		if len(had) > 0 {
			return 0, fmt.Errorf("the former recording also has %s", strings.Join(had, ", "))
		}
	}
	return info.Size(), nil
}

// keys are what an archive has. One that holds the path of the current folder
// is an error: it is not for others to read.
func keys(archive string) (keys []string, err error) {
	recording, away, err := replay.OpenArchive(archive)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, away()) }()
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(recording.Dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err == nil && len(here) > 1 && bytes.Contains(data, []byte(here)) {
			err = fmt.Errorf("%s in it has the path %s of this machine", filepath.Base(name), here)
		}
		return err
	})
	return recording.Keys(), err
}
