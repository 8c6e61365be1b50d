package replay

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

// ArchiveSuffix is how the name of an archive ends.
const ArchiveSuffix = ".lab.tgz"

// maxUnpacked bounds what an archive may hold, in bytes.
const maxUnpacked = 4 << 30

// Pack writes what a replay needs of a run's folder into an archive: the
// journal, the report, and the copy of the scenario. The same run gives the
// same bytes. The logs' and pods' files are not in it: the journal has them.
func Pack(w io.Writer, dir string) (err error) {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zipped)
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		if !e.Type().IsRegular() || !packed(inside) {
			return nil
		}
		return add(out, name, inside)
	})
	if err = errors.Join(err, out.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("packing %s: %w", dir, err)
	}
	return nil
}

// packed says whether a file of a run's folder goes into an archive.
func packed(name string) bool {
	return name == journal.File || name == report.FileName || strings.HasPrefix(name, journal.ScenarioFolder+"/")
}

func add(out *tar.Writer, from, name string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.CopyN(out, file, info.Size())
	return err
}

// Unpack writes the files of an archive that Pack made into a folder. Nothing
// is written outside of it, and nothing that is not a recording's.
func Unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpacking a recording: %w", err)
	}
	defer root.Close()
	if err := unpack(r, root); err != nil {
		return fmt.Errorf("unpacking a recording: %w", err)
	}
	return nil
}

func unpack(r io.Reader, root *os.Root) error {
	zipped, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("this is not an archive of a run: %w", err)
	}
	in := tar.NewReader(io.LimitReader(zipped, maxUnpacked))
	found := false
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := path.Clean(header.Name)
		if header.Typeflag != tar.TypeReg || !fs.ValidPath(name) || !packed(name) {
			return fmt.Errorf("%q does not belong in an archive of a run", header.Name)
		}
		found = found || name == journal.File
		if err := extract(in, root, name); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("it has no %s", journal.File)
	}
	return nil
}

func extract(in io.Reader, root *os.Root, name string) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}

// OpenArchive unpacks an archive into a folder of its own and opens that; remove
// takes the folder away.
func OpenArchive(name string) (rec *Recording, remove func() error, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("opening a recording: %w", err)
	}
	defer file.Close()
	dir, err := os.MkdirTemp("", "lab-recording-")
	if err != nil {
		return nil, nil, fmt.Errorf("unpacking a recording: %w", err)
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err = Unpack(file, dir); err == nil {
		rec, err = Open(dir)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), remove())
	}
	return rec, remove, nil
}
