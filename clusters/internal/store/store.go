// Package store keeps what builds of images have made: each part in a folder that
// is named by the hash of all that went into it, and that appears when it is
// whole. It also has the locks of builds, and measures and removes what is on
// disk.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

const (
	// StagesDir holds one folder for each finished stage.
	StagesDir = "stages"
	// MetaFile describes a stage, in its folder.
	MetaFile = "stage.json"
	// lockPoll is how often a lock that somebody else holds is tried.
	lockPoll = 200 * time.Millisecond
)

// Store is the cache of what was built, by content: a stage's folder is named
// by the hash of all that went into it, and appears when it is whole.
type Store struct {
	Root string
}

// Open opens the store in a folder; empty means $LAB_CACHE/nodeimage, or
// lab/nodeimage in the user's cache folder.
func Open(dir string) (Store, error) {
	if dir == "" && os.Getenv("LAB_CACHE") != "" {
		dir = filepath.Join(os.Getenv("LAB_CACHE"), "nodeimage")
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return Store{}, fmt.Errorf("finding the user's cache folder (LAB_CACHE names another): %w", err)
		}
		dir = filepath.Join(user, "lab", "nodeimage")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Store{}, fmt.Errorf("finding the cache folder: %w", err)
	}
	return Store{Root: dir}, nil
}

// Part says what a finished stage is.
type Part struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Key     string    `json:"key"`
	Inputs  []string  `json:"inputs"`
	Built   time.Time `json:"built"`
	Seconds float64   `json:"seconds"`
	Bytes   int64     `json:"bytes"`
}

// Key is the hash of a stage's kind and inputs.
func Key(kind string, inputs []string) string {
	h := sha256.New()
	for _, s := range append([]string{revision, kind}, inputs...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// revision is part of every key. It rises when a stage is made in
// another way that its inputs do not show.
const revision = "1"

// Path is where a stage's folder is once it is whole.
func (s Store) Path(kind, key string) string {
	return filepath.Join(s.Root, StagesDir, kind+"-"+key)
}

// WorkName begins the names of the containers that builds of this cache use,
// and of no other cache: its lock does not hold for those.
func (s Store) WorkName() string {
	return "lab-build-" + Key("store", []string{s.Root})[:8] + "-"
}

// Find returns the folder of a finished stage.
func (s Store) Find(kind, key string) (string, bool) {
	dir := s.Path(kind, key)
	_, err := os.Stat(filepath.Join(dir, MetaFile))
	return dir, err == nil
}

// Begin makes an empty folder to build a stage in; what interrupted builds in
// the area have left is removed. The area must be locked, and no other of its
// stages be under way.
func (s Store) Begin(in Area, kind, key string) (string, error) {
	all := filepath.Join(s.Root, in.PartDir())
	if err := s.Clear(in); err != nil {
		return "", err
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, SpaceError(err))
	}
	// A name that nobody had before: what still runs of a build that was killed
	// must not write here.
	dir, err := os.MkdirTemp(all, kind+"-"+key+"-")
	if err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, SpaceError(err))
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, err)
	}
	return dir, nil
}

// Clear removes what interrupted builds in an area have left. The area must be
// locked.
func (s Store) Clear(in Area) error { return RemoveTree(filepath.Join(s.Root, in.PartDir())) }

// Finish moves a built stage to its place.
func (s Store) Finish(part string, meta Part) (string, error) {
	size, err := treeSize(part)
	if err != nil {
		return "", err
	}
	meta.Bytes = size
	data, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return "", fmt.Errorf("describing %s: %w", meta.Name, err)
	}
	if err := os.WriteFile(filepath.Join(part, MetaFile), data, 0o644); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, SpaceError(err))
	}
	dir := s.Path(meta.Kind, meta.Key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, SpaceError(err))
	}
	if err := RemoveTree(dir); err != nil {
		return "", err
	}
	if err := os.Rename(part, dir); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, err)
	}
	return dir, nil
}

// List describes all finished stages, by kind and then newest first.
func (s Store) List() ([]Part, error) {
	entries, err := os.ReadDir(filepath.Join(s.Root, StagesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cache: %w", err)
	}
	var metas []Part
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(s.Root, StagesDir, e.Name(), MetaFile))
		if err != nil {
			continue
		}
		var m Part
		if json.Unmarshal(data, &m) == nil && m.Kind+"-"+m.Key == e.Name() {
			metas = append(metas, m)
		}
	}
	sort.SliceStable(metas, func(i, j int) bool {
		if metas[i].Kind != metas[j].Kind {
			return metas[i].Kind < metas[j].Kind
		}
		return metas[i].Built.After(metas[j].Built)
	})
	return metas, nil
}
