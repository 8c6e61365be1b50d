package labtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/wiring"
)

// open reaches the real clusters.
func open(ctx context.Context) (*wiring.Parts, error) {
	program, _ := os.Executable() // without it, kind's builder is not used
	return wiring.Open(ctx, wiring.Options{Getenv: os.Getenv, Reaper: startReaper, Program: program})
}

// envReap makes the test's binary the reaper of a run: a reaper.Run as JSON.
const envReap = "LABTEST_REAP"

// init is the whole program where this process is a reaper, or runs kind's
// builder. There is no other place for it: a test's binary has no main that
// could be asked, and TestMain is its package's.
func init() {
	if code, ok := wiring.RunKindBuilder(os.Environ(), os.Stdout); ok {
		os.Exit(code)
	}
	text, ok := os.LookupEnv(envReap)
	if !ok {
		return
	}
	os.Exit(reap(text))
}

func reap(text string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	var run reaper.Invocation
	err := json.Unmarshal([]byte(text), &run)
	if err == nil {
		err = os.Unsetenv(envReap)
	}
	if err == nil {
		err = wiring.Reap(os.Stdin, run, log, func(ctx context.Context) (*wiring.Parts, error) {
			return wiring.Open(ctx, wiring.Options{Getenv: os.Getenv})
		})
	}
	if err != nil {
		log.Error("the clean-up failed; try: lab gc "+filepath.Base(run.Dir), "error", err)
		return 1
	}
	return 0
}

// startReaper starts the process that cleans up after the run should this one be
// gone: killed, out of time, or in a panic. All that this process starts from
// now on is known as its own; there may be several runs at once.
func startReaper(dir string, keep bool) (wiring.Guard, error) {
	run := reaper.Invocation{ID: processID(), Keep: keep}
	var err error
	if run.Dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	text, err := json.Marshal(run)
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	g, err := reaper.Start(dir, nil, []string{envReap + "=" + string(text)})
	if err != nil {
		return nil, err
	}
	return g, os.Setenv(reaper.Variable, run.ID)
}

// processID is a name for this process that no other of the host has, whatever
// its namespace.
func processID() string {
	program, _ := os.Executable() // without it there is the rest
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(program + "\x00" + host))
	return fmt.Sprintf("go-test-%s-%d", hex.EncodeToString(sum[:6]), os.Getpid())
}
