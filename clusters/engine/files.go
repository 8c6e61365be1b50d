package engine

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes the file as a whole or not at all: whoever opens path
// sees what was there before, or all of content.
func replaceFile(path string, content io.Reader, mode fs.FileMode) error {
	dir, err := folderOf(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(tmp, content)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// sameContent says whether both files hold the same; a file that is not there
// is like none.
func sameContent(a, b string) (bool, error) {
	sums := make([][]byte, 2)
	for i, path := range []string{a, b} {
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return false, fmt.Errorf("reading %s: %w", path, err)
		}
		sums[i] = hash.Sum(nil)
	}
	return bytes.Equal(sums[0], sums[1]), nil
}

// tail returns the last lines of what the file holds from the byte offset on,
// at most n lines and 64 KiB.
func tail(path string, offset int64, n int) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	offset = max(offset, info.Size()-64<<10, 0)
	text, err := io.ReadAll(io.NewSectionReader(file, offset, info.Size()-offset))
	if err != nil {
		return "", err
	}
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return printable(string(bytes.Join(lines, []byte("\n")))), nil
}
