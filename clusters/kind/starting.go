package kind

import (
	"io"
	"sync"
	"time"
)

// startLimit is how long a command that writes nothing is taken to be starting.
const startLimit = 2 * time.Second

// starts keeps a node's machine from being paused while a command starts in it:
// the engine would freeze what it is just putting there, wait for it for ever, and
// answer nothing about the node any more (docker 20.10 on control groups of
// version 1).
type starts struct {
	mu    sync.Mutex
	nodes map[string]*sync.RWMutex
}

func (s *starts) of(node string) *sync.RWMutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = map[string]*sync.RWMutex{}
	}
	if s.nodes[node] == nil {
		s.nodes[node] = &sync.RWMutex{}
	}
	return s.nodes[node]
}

// begin notes that a command is about to start; started is to be called when it
// has written something, or has ended, and may be called more than once.
func (s *starts) begin(node string) (started func()) {
	lock := s.of(node)
	lock.RLock()
	release := sync.OnceFunc(lock.RUnlock)
	timer := time.AfterFunc(startLimit, release)
	return func() {
		timer.Stop()
		release()
	}
}

// none waits until no command is starting, and keeps others from it until
// release is called.
func (s *starts) none(node string) (release func()) {
	lock := s.of(node)
	lock.Lock()
	return lock.Unlock
}

// telling calls the function before something is written.
type telling struct {
	io.Writer
	told func()
}

func (t telling) Write(b []byte) (int, error) {
	t.told()
	return t.Writer.Write(b)
}

// tellingOf wraps a writer unless there is none.
func tellingOf(w io.Writer, told func()) io.Writer {
	if w == nil {
		return nil
	}
	return telling{w, told}
}
