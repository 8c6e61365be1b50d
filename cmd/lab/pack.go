package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
)

func (a *app) packCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "pack [RUN]", Short: "Pack a run into one small file, to keep or to send", SuggestFor: []string{"export", "archive", "save"},
		Long: `Packs what ` + "`lab replay`" + ` needs of a run into one compressed file: what was
recorded, the report, and the scenario as it was. The commands that take a RUN
take such a file as well, and need no cluster. RUN is a run's ID or its folder;
without it, it is the last run.

The file holds what the containers wrote and every object that the scenario
looked at: read it before you send it. It does not hold the values of sensitive
variables.`,
		Example: "  lab pack\n  lab pack 20250304-100000.250-k3x9p2 -o run.lab.tgz\n  lab replay run.lab.tgz",
		Args:    optionalRun, ValidArgsFunction: completeRun,
		RunE: func(_ *cobra.Command, args []string) error { return a.pack(runOf(args), out) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this `FILE` (default: the run's ID and \""+replay.ArchiveSuffix+"\")")
	return cmd
}

func (a *app) pack(run, to string) (err error) {
	dir, err := runFolder(run)
	if err != nil {
		return err
	}
	if alive, err := journal.Alive(dir); err != nil || alive {
		return usage("run %s has not ended: wait for its end", filepath.Base(dir))
	}
	if to == "" {
		to = filepath.Base(dir) + replay.ArchiveSuffix
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already: remove it, or name another file with --output", to)
	}
	if err != nil {
		return broken(err)
	}
	if err := errors.Join(replay.Pack(file, dir), file.Close()); err != nil {
		return broken(errors.Join(err, os.Remove(to)))
	}
	info, err := os.Stat(to)
	if err != nil {
		return broken(err)
	}
	fmt.Fprintf(a.stdout, "%s: %d KiB. Look at it with: lab replay %s\n", to, (info.Size()+1023)/1024, to)
	return nil
}
