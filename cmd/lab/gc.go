package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/wiring"
)

func (a *app) gcCommand() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use: "gc [RUN|CLUSTER]...", Short: "Remove clusters that runs left behind", SuggestFor: []string{"clean", "cleanup", "prune"},
		Long: `Lists the clusters of lab on this machine that no run uses any more, and what
the runs of this folder left on clusters that lab did not make; then it asks,
and removes them. With arguments it looks at those alone: the ID of a run or of
a cluster, as a run prints it if it could not clean up. Idle clusters stay
unless they are named; ` + "`lab down`" + ` removes them.`,
		Example: "  lab gc\n  lab gc --yes 20250304-100000.250-k3x9p2",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			ids, directive := a.completeIdle(cmd, args, typed)
			return append(ids, without(runNames(), args)...), directive
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.gc(cmd.Context(), args, yes, asJSON) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what is there to remove as JSON, and remove it only with --yes")
	return cmd
}

// leftover is a cluster in the JSON form of `lab gc`.
type leftover struct {
	ID      string    `json:"id"`
	Nodes   []string  `json:"nodes"`
	Created time.Time `json:"created,omitzero"`
	Removed bool      `json:"removed"`
	// Error says why it could not be removed.
	Error string `json:"error,omitempty"`
}

func (a *app) gc(ctx context.Context, only []string, yes, asJSON bool) error {
	parts, err := a.open(ctx, a)
	if err != nil {
		return broken(err)
	}
	all, err := a.orphans(ctx, parts)
	if err != nil {
		return broken(err)
	}
	alive, err := a.alive()
	if err != nil {
		return broken(err)
	}
	pooled, err := parts.Pool.List()
	if err != nil {
		return broken(err)
	}
	gone, waiting := garbage(all, pooled, alive, only)
	if asJSON {
		return a.gcJSON(ctx, parts, gone, yes)
	}
	if waiting > 0 {
		fmt.Fprintf(a.stdout, "Idle clusters that stay for the next run: %d. `lab down --all` removes them.\n", waiting)
	}
	if len(gone) == 0 {
		fmt.Fprintf(a.stdout, "Nothing to remove: there are %d clusters of lab, %d of them in use or not asked for.\n", len(all), len(all)-waiting)
		return nil
	}
	for _, c := range gone {
		fmt.Fprintf(a.stdout, "%s  %s  created %s\n", c.ID, strings.Join(c.Nodes, ", "), c.Created.Format("2006-01-02 15:04:05"))
	}
	if !yes && !a.agreed(removal(len(gone))) {
		fmt.Fprintln(a.stdout, "Nothing was removed.")
		return nil
	}
	for _, c := range gone {
		if e := parts.Discard(ctx, c); e != nil {
			err = errors.Join(err, e)
			continue
		}
		fmt.Fprintln(a.stdout, "removed", c.ID)
	}
	if err != nil {
		return broken(err)
	}
	return nil
}

// gcJSON prints the clusters as JSON, and removes them before if it may.
func (a *app) gcJSON(ctx context.Context, parts *wiring.Parts, gone []clusters.Orphan, remove bool) error {
	list, code := []leftover{}, exitPass
	for _, c := range gone {
		l := leftover{ID: c.ID, Nodes: append([]string{}, c.Nodes...), Created: c.Created}
		if remove {
			if err := parts.Discard(ctx, c); err != nil {
				l.Error, code = err.Error(), exitBroken
			}
			l.Removed = l.Error == ""
		}
		list = append(list, l)
	}
	if err := writeJSON(a.stdout, list); err != nil {
		return broken(err)
	}
	return silent(code)
}

// alive are the IDs of the runs that still go on, of this folder and of others.
func (a *app) alive() ([]string, error) {
	alive, err := aliveRuns(runsRoot)
	if err != nil {
		return nil, err
	}
	elsewhere, err := journal.Registered(wiring.RunsDir(a.get))
	return append(alive, elsewhere...), err
}

// garbage are the clusters that nobody uses any more, those of the pool that
// were made for nothing among them, and how many of the pool's just wait. A
// cluster of another pool is garbage only where it is named.
func garbage(all []clusters.Orphan, pooled []pool.Status, alive, only []string) (gone []clusters.Orphan, waiting int) {
	for _, s := range pooled {
		here := clusters.Orphan{ID: s.ID, Created: s.Created}
		if i := slices.IndexFunc(all, func(c clusters.Orphan) bool { return c.ID == s.ID }); i >= 0 {
			here = all[i]
		}
		asked := slices.Contains(only, s.ID) || s.Lease != nil && slices.ContainsFunc(only, func(name string) bool {
			return s.Lease.ID == name || strings.HasPrefix(s.Lease.ID, "lab-"+token(name)+"-")
		})
		switch {
		case s.Busy, len(only) > 0 && !asked:
		case s.State == pool.StateIdle && !asked:
			waiting++
		default:
			gone = append(gone, here)
		}
	}
	for _, c := range all {
		if slices.ContainsFunc(pooled, func(s pool.Status) bool { return s.ID == c.ID }) || !named(c, only) || inUse(c, alive) {
			continue
		}
		if strings.HasPrefix(c.ID, pool.Prefix) && !slices.Contains(only, c.ID) {
			continue
		}
		gone = append(gone, c)
	}
	return gone, waiting
}

// token is what the names of a run's clusters have of its ID.
func token(run string) string { return run[strings.LastIndex(run, "-")+1:] }

func named(c clusters.Orphan, only []string) bool {
	if len(only) == 0 {
		return true
	}
	return slices.ContainsFunc(only, func(name string) bool {
		return name == c.ID || strings.HasPrefix(c.ID, "lab-"+token(name)+"-")
	})
}

func inUse(c clusters.Orphan, alive []string) bool {
	return slices.ContainsFunc(alive, func(run string) bool { return strings.HasPrefix(c.ID, "lab-"+token(run)+"-") })
}

// aliveRuns are the IDs of the runs below root that still go on.
func aliveRuns(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	var alive []string
	for _, e := range entries {
		ok, err := journal.Alive(filepath.Join(root, e.Name()))
		if err != nil {
			return nil, err
		}
		if ok {
			alive = append(alive, e.Name())
		}
	}
	return alive, nil
}

// agreed asks a question; anything but a yes is a no.
func (a *app) agreed(question string) bool {
	fmt.Fprintf(a.stdout, "%s [y/N] ", question)
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.stdout)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

func removal(n int) string {
	if n == 1 {
		return "Remove this cluster?"
	}
	return fmt.Sprintf("Remove these %d clusters?", n)
}
