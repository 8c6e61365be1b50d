package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/kind-lab/lab/clusters"
)

// The files of a member's folder, which is called as the cluster is.
const (
	stateFile      = "cluster.json"
	baselineFile   = "baseline.json"
	lockFile       = "lock"
	kubeconfigFile = "kubeconfig.yaml"
)

// State is what a pool's cluster is doing.
type State string

// The states of a cluster. One that is StateMaking or StateLeased is in use as
// long as its lock is taken; otherwise its user is gone, or kept it.
const (
	StateMaking State = "making"
	StateIdle   State = "idle"
	StateLeased State = "leased"
	// StateTainted is one that was to be destroyed, which failed.
	StateTainted State = "tainted"
)

// UnmarshalText reads a state, also by the name that an older lab gave it.
func (s *State) UnmarshalText(text []byte) error {
	switch *s = State(text); *s {
	case "lent":
		*s = StateLeased
	case "spoiled":
		*s = StateTainted
	}
	return nil
}

// Lease says who uses a cluster.
type Lease struct {
	// ID is the holder's name for the cluster, unique on the host.
	ID string `json:"id"`
	// PID is its process.
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// Member is a cluster of a pool as it was last noted.
type Member struct {
	ID          string          `json:"id"`
	Fingerprint string          `json:"fingerprint"`
	State       State           `json:"state"`
	Spec        clusters.Spec   `json:"spec"`
	Handle      clusters.Handle `json:"handle"`
	Created     time.Time       `json:"created"`
	// Used is when it was last given back.
	Used time.Time `json:"used,omitzero"`
	// Memory is what its processes held when they were last asked, in bytes.
	Memory int64 `json:"memory,omitempty"`
	// Paused is when its machines were paused; zero where they run.
	Paused time.Time `json:"paused,omitzero"`
	// Passes is how often the controller managers had looked at the nodes then.
	Passes int64 `json:"passes,omitempty"`
	// Births say of each node's machine when it began, in the kernel's ticks.
	Births map[string]string `json:"births,omitempty"`
	// Awake says that it waits running, not paused.
	Awake bool `json:"awake,omitempty"`
	// Lease is nil for one that waits.
	Lease *Lease `json:"lease,omitempty"`
}

// member is a Member with its place on disk.
type member struct {
	Member
	dir  string
	held *flock.Flock
	// copy is the holder's kubeconfig.
	copy string
}

// removeCopy removes the holder's kubeconfig.
func (m *member) removeCopy() error {
	if m.copy == "" {
		return nil
	}
	err := os.Remove(m.copy)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the kubeconfig: %w", err)
	}
	return nil
}

func (m *member) kubeconfig() string { return filepath.Join(m.dir, kubeconfigFile) }

// user says who uses it, as far as that is noted.
func (m *member) user() string {
	if m.Lease == nil {
		return ""
	}
	return fmt.Sprintf(" by process %d, as %s, since %s", m.Lease.PID, m.Lease.ID, m.Lease.Since.Format(time.DateTime))
}

// members are all that are noted, by their names. One that is just being
// removed is left out.
func (p *Pool) members() ([]*member, error) {
	entries, err := os.ReadDir(p.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for idle clusters: %w", err)
	}
	var all []*member
	for _, e := range entries {
		m := &member{dir: filepath.Join(p.options.Dir, e.Name())}
		err := m.load()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// latestFirst sorts them by when they were last used.
func latestFirst(members []*member) []*member {
	slices.SortStableFunc(members, func(a, b *member) int { return b.Used.Compare(a.Used) })
	return members
}

// found begins a new member, locked and leased.
func (p *Pool) found(spec clusters.Spec, print, id string) (*member, error) {
	m := &member{Member: Member{ID: newID(), Fingerprint: print, State: StateMaking, Spec: spec, Created: time.Now()}}
	m.Lease = &Lease{ID: id, PID: os.Getpid(), Since: m.Created}
	m.dir = filepath.Join(p.options.Dir, m.ID)
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, fmt.Errorf("noting a new cluster: %w", err)
	}
	m.held = flock.New(filepath.Join(m.dir, lockFile))
	taken, err := m.held.TryLock()
	if err == nil && !taken {
		err = errors.New("somebody else has it")
	}
	if err == nil {
		err = m.save()
	}
	if err != nil {
		return nil, fmt.Errorf("noting a new cluster: %w", err)
	}
	return m, nil
}

// lock takes the member for this process and reads it again; false where
// somebody else has it, or it is gone.
func (m *member) lock() (bool, error) {
	held := flock.New(filepath.Join(m.dir, lockFile), flock.SetFlag(os.O_RDWR))
	taken, err := held.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !taken {
		return false, err
	}
	m.held = held
	if err := m.load(); err != nil {
		m.unlock()
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// unlock lets others have the member.
func (m *member) unlock() {
	if m.held == nil {
		return
	}
	_ = m.held.Close() // it ends with the process at the latest
	m.held = nil
}

// busy says whether a process has it.
func (m *member) busy() (bool, error) {
	probe := flock.New(filepath.Join(m.dir, lockFile), flock.SetFlag(os.O_RDWR))
	free, err := probe.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if free {
		err = probe.Close()
	}
	return !free, err
}

// lease notes the holder.
func (m *member) lease(id string) error {
	m.State, m.Lease = StateLeased, &Lease{ID: id, PID: os.Getpid(), Since: time.Now()}
	return m.save()
}

func (m *member) load() error {
	text, err := os.ReadFile(filepath.Join(m.dir, stateFile))
	if err != nil {
		return err
	}
	var read Member
	if err := json.Unmarshal(text, &read); err != nil || read.ID != filepath.Base(m.dir) {
		// Nobody knows what it is like any more: it can be destroyed only.
		read = Member{ID: filepath.Base(m.dir), State: StateTainted}
	}
	m.Member = read
	return nil
}

// save writes the member's state, and returns once it is on the disk: what has
// been leased must not look idle after a crash.
func (m *member) save() error {
	return m.write(stateFile, m.Member)
}

func (m *member) saveBaseline(o Objects) error {
	return m.write(baselineFile, o.list())
}

func (m *member) baseline() (Objects, error) {
	text, err := os.ReadFile(filepath.Join(m.dir, baselineFile))
	if err != nil {
		return nil, fmt.Errorf("reading what was on the cluster: %w", err)
	}
	var list []noted
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("reading what was on the cluster: %w", err)
	}
	return objectsOf(list), nil
}

func (m *member) write(name string, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("noting cluster %s: %w", m.ID, err)
	}
	path := filepath.Join(m.dir, name)
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("noting cluster %s: %w", m.ID, err)
	}
	_, err = file.Write(text.Bytes())
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("noting cluster %s: %w", m.ID, err)
	}
	return nil
}

// forget removes what is noted, and with it the lock. The state goes first:
// without it there is no member.
func (m *member) forget() error {
	err := os.Remove(filepath.Join(m.dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	err = errors.Join(err, os.RemoveAll(m.dir))
	m.unlock()
	if err != nil {
		return fmt.Errorf("forgetting cluster %s: %w", m.ID, err)
	}
	return nil
}
