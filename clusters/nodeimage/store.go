package nodeimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	// stagesDir holds one folder a finished stage, partDir those of a node
	// image that are under way, podPartDir those of a pod's.
	stagesDir, partDir, podPartDir = "stages", "part", "part-pod"
	// metaFile describes a stage, in its folder.
	metaFile = "stage.json"
	// nodeLock is held by whoever builds a node image, podLock by whoever
	// makes a pod's image, which takes seconds and does not wait for the
	// former; both by whoever removes.
	nodeLock, podLock = "build.lock", "pod.lock"
	// lockPoll is how often a lock that somebody else holds is tried.
	lockPoll = 200 * time.Millisecond
)

// store is the cache of what was built, by content: a stage's folder is named
// by the hash of all that went into it, and appears when it is whole.
type store struct {
	root string
}

// stageMeta says what a finished stage is.
type stageMeta struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Key     string    `json:"key"`
	Inputs  []string  `json:"inputs"`
	Built   time.Time `json:"built"`
	Seconds float64   `json:"seconds"`
	Bytes   int64     `json:"bytes"`
}

// stageKey is the hash of a stage's kind and inputs.
func stageKey(kind string, inputs []string) string {
	h := sha256.New()
	for _, s := range append([]string{recipeRevision, kind}, inputs...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// stagePath is where a stage's folder is once it is whole.
func (s store) stagePath(kind, key string) string {
	return filepath.Join(s.root, stagesDir, kind+"-"+key)
}

// workName begins the names of the containers that builds of this cache use,
// and of no other cache: its lock does not hold for those.
func (s store) workName() string {
	return "lab-build-" + stageKey("store", []string{s.root})[:8] + "-"
}

// find returns the folder of a finished stage.
func (s store) find(kind, key string) (string, bool) {
	dir := s.stagePath(kind, key)
	_, err := os.Stat(filepath.Join(dir, metaFile))
	return dir, err == nil
}

// begin makes an empty folder to build a stage in; what interrupted builds
// have left is removed. The lock of such builds must be held, and none of their
// other stages be under way.
func (s store) begin(kind, key string) (string, error) {
	all := filepath.Join(s.root, partDir)
	if kind == busyboxKind || kind == balancerKind {
		all = filepath.Join(s.root, podPartDir)
	}
	if err := removeTree(all); err != nil {
		return "", err
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, spaceError(err))
	}
	// A name that nobody had before: what still runs of a build that was killed
	// must not write here.
	dir, err := os.MkdirTemp(all, kind+"-"+key+"-")
	if err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, spaceError(err))
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("making room for %s: %w", kind, err)
	}
	return dir, nil
}

// finish moves a built stage to its place.
func (s store) finish(part string, meta stageMeta) (string, error) {
	size, err := treeSize(part)
	if err != nil {
		return "", err
	}
	meta.Bytes = size
	data, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return "", fmt.Errorf("describing %s: %w", meta.Name, err)
	}
	if err := os.WriteFile(filepath.Join(part, metaFile), data, 0o644); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, spaceError(err))
	}
	dir := s.stagePath(meta.Kind, meta.Key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, spaceError(err))
	}
	if err := removeTree(dir); err != nil {
		return "", err
	}
	if err := os.Rename(part, dir); err != nil {
		return "", fmt.Errorf("finishing %s: %w", meta.Name, err)
	}
	return dir, nil
}

// list describes all finished stages, by kind and then newest first.
func (s store) list() ([]stageMeta, error) {
	entries, err := os.ReadDir(filepath.Join(s.root, stagesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cache: %w", err)
	}
	var metas []stageMeta
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(s.root, stagesDir, e.Name(), metaFile))
		if err != nil {
			continue
		}
		var m stageMeta
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

// lock takes one of the locks, and calls waiting now and then with who holds it
// while somebody else does. The function that it returns gives it back.
func (s store) lock(ctx context.Context, name, what string, waiting func(holder string)) (func() error, error) {
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache %s: %w", s.root, spaceError(err))
	}
	path := filepath.Join(s.root, name)
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
		if err := wait(ctx, lockPoll); err != nil {
			return nil, fmt.Errorf("waiting for another build to end: %w", err)
		}
	}
	holder := fmt.Sprintf("process %d, %s", os.Getpid(), what)
	if err := os.WriteFile(path+".holder", []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, spaceError(err)), held.Unlock())
	}
	return held.Unlock, nil
}

// wait lets d pass, or returns why ctx ended.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// removeTree removes a folder of the cache with all that is in it. It refuses
// to where something is still mounted below it.
func removeTree(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for mounts below %s: %w", dir, err)
	}
	if mount := mountBelow(string(mounts), dir); mount != "" {
		return fmt.Errorf("%s is still mounted: unmount it, then try again", mount)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return nil
}

// mountBelow is the first mount at or below dir in a mountinfo file (see
// proc(5)), or empty. Everything is below the root.
func mountBelow(mountinfo, dir string) string {
	dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator))
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		// Blanks and the like are written as octal numbers.
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if at == dir || strings.HasPrefix(at, dir+string(filepath.Separator)) {
			return at
		}
	}
	return ""
}

// treeSize is the size of all regular files below dir, in bytes.
func treeSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measuring %s: %w", dir, err)
	}
	return total, nil
}
