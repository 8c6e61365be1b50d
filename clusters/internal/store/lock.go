package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/kind-lab/lab/clusters"
)

// Area is a part of the store in which one build runs at a time.
type Area int

const (
	// NodeImages is the area of builds of node images, which take minutes.
	NodeImages Area = iota
	// PodImages is the area of builds of images of pods, which take seconds
	// and do not wait for the former.
	PodImages
)

// Areas are all areas, in the order in which several are locked.
func Areas() []Area { return []Area{NodeImages, PodImages} }

// lockFile is locked by the build that runs in the area.
func (a Area) lockFile() string {
	if a == PodImages {
		return "pod.lock"
	}
	return "build.lock"
}

// PartDir holds the folders of stages that are not finished.
func (a Area) PartDir() string {
	if a == PodImages {
		return "part-pod"
	}
	return "part"
}

// Lock locks an area for what, such as "building busybox:1.35". While another
// process holds the lock, it calls waiting several times a second with what
// that process does. The returned function unlocks the area.
func (s Store) Lock(ctx context.Context, in Area, what string, waiting func(holder string)) (func() error, error) {
	if err := os.MkdirAll(s.Root, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache %s: %w", s.Root, SpaceError(err))
	}
	path := filepath.Join(s.Root, in.lockFile())
	held := flock.New(path)
	for {
		got, err := held.TryLock()
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if got {
			break
		}
		holder, _ := os.ReadFile(path + ".holder")
		waiting(strings.TrimSpace(string(holder)))
		if err := clusters.Pause(ctx, lockPoll); err != nil {
			return nil, fmt.Errorf("waiting for another build to end: %w", err)
		}
	}
	holder := fmt.Sprintf("process %d, %s", os.Getpid(), what)
	if err := os.WriteFile(path+".holder", []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, SpaceError(err)), held.Unlock())
	}
	return held.Unlock, nil
}
