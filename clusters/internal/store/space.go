package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kind-lab/lab/clusters"
)

// ErrNoSpace says that a disk is full, or too full to begin.
var ErrNoSpace = errors.New("not enough disk space")

// SpaceError marks an error that a full disk has caused as an ErrNoSpace, by
// its cause or by what a child has said.
func SpaceError(err error) error {
	if err == nil || errors.Is(err, ErrNoSpace) {
		return err
	}
	full := errors.Is(err, syscall.ENOSPC)
	var failed *clusters.CommandError
	if errors.As(err, &failed) {
		full = full || strings.Contains(strings.ToLower(failed.Output), "no space left on device")
	}
	if !full {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoSpace, err)
}

// The units of sizes, in bytes.
const (
	MiB = 1 << 20
	GiB = 1 << 30
)

// Disks measures file systems.
type Disks struct {
	// Free is the space that is left where a path is, in bytes.
	Free func(path string) (int64, error)
	// Device is the number of the file system where a path is.
	Device func(path string) (uint64, error)
}

// HostDisks are those of this machine.
func HostDisks() Disks { return Disks{Free: freeBytes, Device: deviceOf} }

// Need is the space that something will take.
type Need struct {
	// Path is where it will be; it need not exist yet. Nothing is known of an
	// empty one.
	Path string
	// What says what will be there, such as "the Go build cache".
	What string
	// Bytes is how much.
	Bytes int64
}

// Check returns an ErrNoSpace if a disk is too full for what goal, such as
// "building a node image", needs. What cannot be measured does not count.
func (d Disks) Check(goal string, needs ...Need) error {
	type disk struct {
		path  string
		bytes int64
		what  []string
	}
	all := map[uint64]*disk{}
	var order []*disk
	for _, n := range needs {
		path := existing(n.Path)
		device, err := d.Device(path)
		if path == "" || err != nil {
			continue
		}
		if all[device] == nil {
			all[device] = &disk{path: path}
			order = append(order, all[device])
		}
		all[device].bytes += n.Bytes
		all[device].what = append(all[device].what, fmt.Sprintf("%s in %s", n.What, n.Path))
	}
	for _, on := range order {
		free, err := d.Free(on.path)
		if err != nil || free >= on.bytes {
			continue
		}
		where := joinAnd(on.what)
		if len(on.what) > 1 {
			where += ", which share a disk"
		}
		return fmt.Errorf("%w: %s needs about %.1f GB for %s, and %.1f GB are free there; make room (`lab image prune` removes what earlier builds left), or set LAB_CACHE to a folder on another disk",
			ErrNoSpace, goal, float64(on.bytes)/GiB, where, float64(free)/GiB)
	}
	return nil
}

// existing is the path, or the nearest folder above it that exists; empty for
// an empty path.
func existing(path string) string {
	for path != "" {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
	return ""
}

// joinAnd joins a list for a sentence.
func joinAnd(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		text := items[0]
		for _, item := range items[1 : n-1] {
			text += ", " + item
		}
		return text + " and " + items[n-1]
	}
}
