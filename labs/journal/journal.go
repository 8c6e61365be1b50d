// Package journal keeps a run's folder: the intents, each on disk before it is
// acted upon, the records in the order of their arrival, and the lock that
// says whether the run is alive.
//
// The folder is .lab/runs/ID. journal.jsonl has one JSON object a line and is
// only ever appended to; a reader takes a line that was cut as the end.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/kind-lab/lab/collectors"
)

// File is the journal's name in the run's folder.
const File = "journal.jsonl"

// lockFile is held for as long as the run is alive.
const lockFile = "lock"

// reserveFile keeps room for what is written last, the report, where the disk
// fills up meanwhile; reserved is how much, in bytes.
const (
	reserveFile = "reserve"
	reserved    = 4 << 20
)

// ErrAlive is returned where a run's folder is in use by a run that goes on.
var ErrAlive = errors.New("the run is still in progress")

// The actions that an Intent announces.
const (
	ActionCreate  = "create-cluster"
	ActionDestroy = "destroy-cluster"
)

// Intent announces something that has to be undone should the run end before
// it does so itself.
type Intent struct {
	Action string `json:"action"`
	// As is the cluster's own name where it is another than ID, as that of one
	// that was there already.
	As string `json:"as,omitempty"`
	// Provider is what made the cluster, such as "kind".
	Provider string `json:"provider"`
	// ID is the cluster's name there; Kubeconfig the file that was written.
	ID         string `json:"id"`
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Done says that the action has ended as it should.
	Done bool `json:"done,omitempty"`
}

// Head says what the journal is of. It is the first entry.
type Head struct {
	// Version is that of the journal's form.
	Version int `json:"version"`
	// ID is the run's, File the scenario as it was named, LabVersion that of
	// the lab that wrote it.
	ID         string `json:"id"`
	File       string `json:"file"`
	LabVersion string `json:"lab_version,omitempty"`
	// Host is what runs it, such as "linux/amd64"; empty in old journals.
	Host string `json:"host,omitempty"`
}

// HeadVersion is the version of the journal's form. Older journals have no
// head.
const HeadVersion = 1

// Origin says which scenario the records of a run are of, and what cluster they come from.
type Origin struct {
	Scenario  string `json:"scenario"`
	Cluster   string `json:"cluster"`
	Namespace string `json:"namespace,omitempty"`
	// Kubernetes is the exact version; Nodes, Runtime and Cgroup are those of
	// the cluster.
	Kubernetes string   `json:"kubernetes,omitempty"`
	Nodes      []string `json:"nodes,omitempty"`
	Runtime    string   `json:"runtime,omitempty"`
	Cgroup     int      `json:"cgroup,omitempty"`
}

// Entry is one line of the journal: its head, an intent, or a record of a run.
type Entry struct {
	At     time.Time          `json:"at"`
	Head   *Head              `json:"head,omitempty"`
	Intent *Intent            `json:"intent,omitempty"`
	Run    string             `json:"run,omitempty"`
	Record *collectors.Record `json:"record,omitempty"`
	// Begin is set once for each run: when its times count from; and beside
	// it On, but in old journals.
	Begin *time.Time `json:"begin,omitempty"`
	On    *Origin    `json:"on,omitempty"`
}

// flushed is how often what was written is handed to the operating system, so
// that a run that is killed loses no more than that, and who follows it is not
// further behind.
const flushed = 250 * time.Millisecond

// Journal is a run's folder, open for writing. It is safe for concurrent use.
type Journal struct {
	dir  string
	lock *flock.Flock

	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	err  error

	closed  chan struct{}
	flusher sync.WaitGroup
}

// Create makes the folder ROOT/ID and takes its lock. The folder is its owner's
// alone: there may be secrets in what was observed.
func Create(root, id string) (*Journal, error) {
	dir := filepath.Join(root, id)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the runs: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("making the run's folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the run's folder: %w", err)
	}
	if !taken {
		return nil, fmt.Errorf("%s: %w", dir, ErrAlive)
	}
	file, err := os.OpenFile(filepath.Join(dir, File), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the journal: %w", err), lock.Unlock())
	}
	if err := os.WriteFile(filepath.Join(dir, reserveFile), make([]byte, reserved), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("reserving space for the report of the run: %w", err), file.Close(), lock.Unlock())
	}
	j := &Journal{dir: dir, lock: lock, file: file, out: bufio.NewWriterSize(file, 64<<10), closed: make(chan struct{})}
	j.flusher.Go(j.keepFlushing)
	return j, nil
}

// keepFlushing flushes now and then until the journal is closed. The next call
// returns the error if that fails.
func (j *Journal) keepFlushing() {
	ticker := time.NewTicker(flushed)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			j.mu.Lock()
			j.flush()
			j.mu.Unlock()
		case <-j.closed:
			return
		}
	}
}

// Dir is the run's folder.
func (j *Journal) Dir() string { return j.dir }

// Intent writes an intent and returns once it is on disk.
func (j *Journal) Intent(at time.Time, intent Intent) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(Entry{At: at, Intent: &intent})
	j.flush()
	if j.err == nil {
		j.err = j.file.Sync()
	}
	return j.failure()
}

// Head writes what the journal is of. It is to be called first, and once.
func (j *Journal) Head(at time.Time, head Head) error {
	head.Version = HeadVersion
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(Entry{At: at, Head: &head})
	j.flush()
	return j.failure()
}

// Begin writes when the named run's times count from, and what it is made on;
// nil if that is not known.
func (j *Journal) Begin(run string, begin time.Time, on *Origin) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(Entry{At: begin, Run: run, Begin: &begin, On: on})
	return j.failure()
}

// Record appends a record of the named run. It may stay in memory for a
// quarter of a second, unless Flush or Intent is called before.
func (j *Journal) Record(run string, r collectors.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(Entry{At: r.Received, Run: run, Record: &r})
	return j.failure()
}

// Flush hands what was written to the operating system.
func (j *Journal) Flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	return j.failure()
}

// Close writes what is left to disk and gives up the lock, and the room that was
// kept for what is written after it. A journal that failed once stays failed:
// the first failure is returned.
func (j *Journal) Close() error {
	close(j.closed)
	j.flusher.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	if j.err == nil {
		j.err = j.file.Sync()
	}
	failure := j.failure()
	room := os.Remove(filepath.Join(j.dir, reserveFile))
	if errors.Is(room, fs.ErrNotExist) {
		room = nil
	}
	return errors.Join(failure, room, j.file.Close(), j.lock.Unlock())
}

func (j *Journal) write(e Entry) {
	if j.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		j.err = err
		return
	}
	if _, err := j.out.Write(append(line, '\n')); err != nil {
		j.err = err
	}
}

func (j *Journal) flush() {
	if j.err == nil {
		j.err = j.out.Flush()
	}
}

func (j *Journal) failure() error {
	if j.err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w", filepath.Join(j.dir, File), j.err)
}
