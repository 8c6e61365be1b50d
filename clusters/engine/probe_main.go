package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kind-lab/lab/clusters/engine/ociruntime"
)

// probeName is the base name under which this program is the probe.
const probeName = "lab-probe"

// probeLife bounds the life of a probe that nobody removes.
const probeLife = 2 * time.Minute

// facts are what a process can see of the machine it runs on, the engine's
// own where that process is in a container.
type facts struct {
	Missing          []string `json:"missing"`
	InotifyInstances int64    `json:"inotify_instances"`
	InotifyWatches   int64    `json:"inotify_watches"`
}

// HiddenMode runs the program as something else than a command line tool
// where the name that it was called by (argv[0]) says so: the OCI runtime or
// the doctor's probe. It is to be called first of all, and where handled is
// true the program ends with code at once.
func HiddenMode(argv, environ []string, stdout, stderr io.Writer) (code int, handled bool) {
	if len(argv) == 0 {
		return 0, false
	}
	switch {
	case ociruntime.IsInvocation(argv[0]):
		return ociruntime.New().Run(argv[1:], environ, stderr), true
	case filepath.Base(argv[0]) == probeName:
		return runProbe(argv[1:], stdout, stderr), true
	}
	return 0, false
}

// runProbe is what runs in the doctor's container: with the argument facts it
// prints what it sees, without any it waits for a signal to end.
func runProbe(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return holdProbe()
	}
	seen, err := readFacts(ground{proc: "/proc", comm: func(int) string { return "" }})
	if err == nil {
		err = json.NewEncoder(stdout).Encode(seen)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", probeName, err)
		return 1
	}
	return 0
}

func holdProbe() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, probeLife)
	defer cancel()
	<-ctx.Done()
	return 0
}

func readFacts(g ground) (facts, error) {
	missing, err := g.missing()
	if err != nil {
		return facts{}, err
	}
	instances, err := g.number("sys/fs/inotify/max_user_instances")
	if err != nil {
		return facts{}, fmt.Errorf("reading the inotify limits: %w", err)
	}
	watches, err := g.number("sys/fs/inotify/max_user_watches")
	if err != nil {
		return facts{}, fmt.Errorf("reading the inotify limits: %w", err)
	}
	return facts{Missing: missing, InotifyInstances: instances, InotifyWatches: watches}, nil
}
