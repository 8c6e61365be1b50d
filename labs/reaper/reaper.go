// Package reaper removes what a run made when the run is gone without having
// done so: killed, out of memory, its terminal closed.
//
// A reaper is a process of its own that holds the read end of a pipe to the
// run. The end of the pipe, with no word before it, says that the run is gone.
package reaper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/journal"
)

// Word is what a run writes into the pipe when it has cleaned up itself.
const Word = "done\n"

// Variable is the environment variable that a run gives to all that it starts:
// its ID, or a name that all runs of the process share. What still has it when
// the run is gone is the run's.
const Variable = "LAB_RUN"

// Destroyer destroys clusters.
type Destroyer interface {
	// Destroy removes a cluster; one that is not there is no error.
	Destroy(ctx context.Context, id string) error
}

// Adopter is a Destroyer that needs the kubeconfig of a run that is gone to find
// what it left.
type Adopter interface {
	Adopt(id, kubeconfig string)
}

// Destroy lets a cluster of a run that is gone be destroyed.
func Destroy(ctx context.Context, by Destroyer, intent journal.Intent) error {
	if a, ok := by.(Adopter); ok {
		a.Adopt(intent.ID, intent.Kubeconfig)
	}
	return by.Destroy(ctx, intent.ID)
}

// Invocation is the `lab run` that is watched.
type Invocation struct {
	// Dir is its folder and ID what Variable is for all that it started: its
	// ID, or the name of a process that had several runs.
	Dir, ID string
	// Keep says that clusters that are ready stay.
	Keep bool
}

// Released waits for the end of the pipe and says whether the run has cleaned
// up itself.
func Released(pipe io.Reader) bool {
	said, err := io.ReadAll(io.LimitReader(pipe, 64))
	return err == nil && strings.HasPrefix(string(said), Word)
}

// pauses between attempts.
const (
	again    = 500 * time.Millisecond
	makesFor = 30 * time.Second
)

// Reap ends the processes of a run that is gone and destroys its clusters, and
// returns once both are gone, or with what is left when ctx ends. It notes in
// the run's journal what it destroyed. world is asked for each provider.
func Reap(ctx context.Context, run Invocation, world func(provider string) (Destroyer, error), log *slog.Logger) error {
	endProcesses(ctx, run.ID, log)
	left, err := open(run)
	if err != nil {
		return err
	}
	for len(left) > 0 {
		var failed []journal.Intent
		var errs []error
		for _, intent := range left {
			log.Info("destroying", "cluster", intent.ID)
			if err := destroy(ctx, intent, world); err != nil {
				log.Error("destroying failed", "cluster", intent.ID, "error", err)
				failed, errs = append(failed, intent), append(errs, err)
				continue
			}
			log.Info("destroyed", "cluster", intent.ID)
			note := journal.Intent{Action: journal.ActionDestroy, Provider: intent.Provider, ID: intent.ID, Done: true}
			if err := journal.Append(run.Dir, time.Now(), note); err != nil {
				log.Warn("the journal has no record of it", "cluster", intent.ID, "error", err)
			}
		}
		if left = failed; len(left) == 0 {
			break
		}
		if err := clusters.Pause(ctx, again); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return journal.GiveUpRoom(run.Dir)
}

// open are the clusters that the run made, or began to make.
func open(run Invocation) ([]journal.Intent, error) {
	all, err := journal.Unfinished(journal.Entries(run.Dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var left []journal.Intent
	for _, intent := range all {
		if !run.Keep || !intent.Done {
			left = append(left, intent)
		}
	}
	if err != nil {
		err = fmt.Errorf("reading what the run created: %w", err)
	}
	return left, err
}

func destroy(ctx context.Context, intent journal.Intent, world func(string) (Destroyer, error)) error {
	provider, err := world(intent.Provider)
	if err != nil {
		return err
	}
	if err := Destroy(ctx, provider, intent); err != nil {
		return err
	}
	if intent.Kubeconfig == "" {
		return nil
	}
	for _, name := range []string{intent.Kubeconfig, intent.Kubeconfig + ".lock"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the kubeconfig: %w", err)
		}
	}
	return nil
}

// endProcesses kills what the run started, but for what makes containers: the
// engine would make them later. Those are waited for.
func endProcesses(ctx context.Context, id string, log *slog.Logger) {
	limited, cancel := context.WithTimeout(ctx, makesFor)
	defer cancel()
	for {
		making := 0
		for _, p := range processes("/proc", id) {
			if p.pid == os.Getpid() {
				continue
			}
			if p.makes() && limited.Err() == nil {
				making++
				continue
			}
			log.Info("ending a process", "pid", p.pid, "command", p.command())
			if process, err := os.FindProcess(p.pid); err == nil {
				_ = process.Kill() // it may have ended since
			}
		}
		if making == 0 || clusters.Pause(limited, again) != nil && ctx.Err() != nil {
			return
		}
	}
}
