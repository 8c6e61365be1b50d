package fakehost

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Trouble is what befalls a command whose line contains some words.
type Trouble struct {
	Words string
	// Hang lets it run until it is killed; else it says Says and fails.
	Hang bool
	Says string
}

// Troubled sets what befalls commands from now on.
func (w World) Troubled(troubles ...Trouble) { w.Put("troubles", troubles) }

// trouble lets a command meet its trouble.
func (w World) trouble(args []string) (int, bool) {
	var troubles []Trouble
	w.Get("troubles", &troubles)
	line := filepath.Base(args[0]) + " " + strings.Join(args[1:], " ")
	for _, t := range troubles {
		if !strings.Contains(line, t.Words) {
			continue
		}
		if t.Hang {
			w.log([]string{"hanging", line})
			forever := make(chan os.Signal, 1)
			signal.Notify(forever, os.Interrupt)
			<-forever
		}
		fmt.Fprintln(os.Stderr, t.Says)
		return 1, true
	}
	return 0, false
}

// log notes a command line.
func (w World) log(args []string) {
	f, err := os.OpenFile(filepath.Join(w.Dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, filepath.Base(args[0])+" "+strings.Join(args[1:], " "))
}

// Calls are the command lines that contain some words.
func (w World) Calls(words string) []string {
	data, err := os.ReadFile(filepath.Join(w.Dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	var found []string
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, words) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// Forget empties the log.
func (w World) Forget() {
	if err := os.Remove(filepath.Join(w.Dir, "calls")); err != nil && !os.IsNotExist(err) {
		panic(err)
	}
}

// Await waits until a command line with some words is logged.
func (w World) Await(t *testing.T, words string) {
	t.Helper()
	deadline := time.After(5 * time.Minute) // a busy machine is no failure
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(w.Calls(words)) == 0 {
		select {
		case <-deadline:
			t.Fatalf("nobody called %q; calls: %q", words, w.Calls(""))
		case <-tick.C:
		}
	}
}
