package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// recordFlags are those of the commands that print what a run recorded.
type recordFlags struct {
	choice
	pod          string
	follow, json bool
	since        time.Duration
}

func (f *recordFlags) add(cmd *cobra.Command) {
	f.choice.add(cmd, inRun)
	flags := cmd.Flags()
	flags.StringVar(&f.pod, "pod", "", "only pods whose names begin with `PREFIX`")
	flags.BoolVarP(&f.follow, "follow", "f", false, "follow a run that has not ended")
	flags.DurationVar(&f.since, "since", 0, "only what was recorded in the last `DURATION`, such as 5s, before now or before the run ended")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per line: scenario, cluster, at (seconds since the scenario began) and record")
	completeFlag(cmd, "pod", completeOfRun(outlineRun.podNames))
}

// recorded is a run's records, to be read once.
type recorded struct {
	recording *replay.Recording
	flags     recordFlags
	alive     bool
	// several says that records of more than one scenario or cluster come.
	several bool
	close   func()
}

// openRecords opens the run, or archive, that is named.
func openRecords(run string, f recordFlags) (*recorded, error) {
	recording, remove, err := openRecording(run)
	if err != nil {
		return nil, err
	}
	alive, err := journal.Alive(recording.Dir)
	if err != nil {
		remove()
		return nil, broken(err)
	}
	found := recording.Find(f.scenarios, f.clusters)
	if len(found) == 0 && !(alive && f.follow) {
		remove()
		if len(recording.Runs) == 0 {
			return nil, usage("run %s has recorded nothing: it ended before its first scenario began", filepath.Base(recording.Dir))
		}
		return nil, nothingOf(recording)
	}
	return &recorded{recording: recording, flags: f, alive: alive, several: len(found) != 1, close: remove}, nil
}

// filter includes what the flags ask for that all commands have.
func (f *recordFlags) filter() replay.Filter {
	return replay.Filter{Scenarios: f.scenarios, Clusters: f.clusters, PodPrefix: f.pod}
}

// all yields the records that are asked for in the order of their arrival.
func (r *recorded) all(ctx context.Context) iter.Seq2[text.Observation, error] {
	entries := journal.Entries(r.recording.Dir)
	if r.flags.follow && r.alive {
		entries = journal.Follow(ctx, r.recording.Dir)
	}
	return func(yield func(text.Observation, error) bool) {
		began := map[string]time.Time{}
		named := map[string]text.Observation{}
		for _, run := range r.recording.Runs {
			named[run.Key] = text.Observation{Scenario: run.Scenario, Cluster: run.Cluster}
		}
		filter := r.flags.filter()
		filter.From = r.from()
		for e, err := range entries {
			if err != nil {
				yield(text.Observation{}, broken(err))
				return
			}
			if e.Begin != nil {
				began[e.Run] = *e.Begin
				if e.On != nil {
					named[e.Run] = text.Observation{Scenario: e.On.Scenario, Cluster: e.On.Cluster}
				}
			}
			o := named[e.Run]
			if e.Record == nil || !filter.Include(o.Scenario, o.Cluster, *e.Record) {
				continue
			}
			o.Record, o.At = *e.Record, e.Record.Time.Sub(began[e.Run]).Seconds()
			if !yield(o, nil) {
				return
			}
		}
	}
}

// from is the time before which nothing is wanted.
func (r *recorded) from() time.Time {
	if r.flags.since <= 0 {
		return time.Time{}
	}
	end := time.Now()
	if !r.alive {
		end = r.recording.Ended(r.flags.scenarios, r.flags.clusters)
	}
	return end.Add(-r.flags.since)
}

// included returns what a filter includes.
func included(f replay.Filter) func(text.Observation) bool {
	return func(o text.Observation) bool { return f.Include(o.Scenario, o.Cluster, o.Record) }
}

// sorted are the records for which keep is true, first to last.
func (r *recorded) sorted(ctx context.Context, keep func(text.Observation) bool) ([]text.Observation, error) {
	var found []text.Observation
	for o, err := range r.all(ctx) {
		if err != nil {
			return nil, err
		}
		if keep(o) {
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(a, b text.Observation) int { return collectors.Compare(a.Record, b.Record) })
	return found, nil
}

// following says whether records are to be printed as they come.
func (r *recorded) following() bool { return r.flags.follow && r.alive }

// untilInterrupted ends with a Ctrl-C, which is how one stops following.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
}

func (a *app) observationOptions(w io.Writer, where bool) text.ObservationOptions {
	width, tty := terminal(w)
	return text.ObservationOptions{Style: layout.Style{Color: a.color(w), Width: width}, Where: where, Raw: !tty}
}

// printEach prints what is wanted: as JSON, or as lines of text.
func (a *app) printEach(observations iter.Seq2[text.Observation, error], asJSON bool, keep func(text.Observation) bool, line func(text.Observation) string) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	for o, err := range observations {
		if err != nil {
			return err
		}
		if !keep(o) {
			continue
		}
		if asJSON {
			err = encoder.Encode(o)
		} else {
			_, err = fmt.Fprintln(a.stdout, line(o))
		}
		if err != nil {
			return broken(fmt.Errorf("writing: %w", err))
		}
	}
	return nil
}

// each yields the elements of a list.
func each(list []text.Observation) iter.Seq2[text.Observation, error] {
	return func(yield func(text.Observation, error) bool) {
		for _, o := range list {
			if !yield(o, nil) {
				return
			}
		}
	}
}
