package engine

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// lines keeps the end of what a program writes. It is safe for concurrent
// use.
type lines struct {
	mu   sync.Mutex
	text []byte
}

// keepBytes bounds what is kept.
const keepBytes = 64 << 10

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if extra := len(l.text) - keepBytes; extra > 0 {
		l.text = append(l.text[:0], l.text[extra:]...)
	}
	return len(p), nil
}

// tail returns the last n lines.
func (l *lines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := bytes.Split(bytes.TrimSpace(l.text), []byte("\n"))
	return printable(string(bytes.Join(all[max(0, len(all)-n):], []byte("\n"))))
}

func (l *lines) last() string { return strings.TrimSpace(l.tail(1)) }

// every calls tell each interval, with the time that has passed, until stop
// is called; tell does not run any more when stop has returned.
func every(interval time.Duration, tell func(passed time.Duration)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				tell(time.Since(began))
			}
		}
	}()
	return func() { close(done); <-ended }
}
