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
		Use: "pack RUN", Short: "Put a recorded run into one small file, to keep or to send",
		Long: `Puts what ` + "`lab replay`" + ` needs of a run into one compressed file: what was
observed, the report, and the scenario as it was. Whoever has the file can
judge the run again and look at it, with no cluster.

What the containers wrote is in it, and so is every object that the scenario
looked at: read it before you send it. Sensitive variables are not.`,
		Example: "  lab pack last\n  lab replay 20260102-030405.250-abcdef.lab.tgz",
		Args:    oneRun, ValidArgsFunction: completeRun,
		RunE: func(_ *cobra.Command, args []string) error { return a.pack(args[0], out) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", `the file to write (default: the run's ID and "`+replay.ArchiveSuffix+`")`)
	return cmd
}

func (a *app) pack(run, to string) (err error) {
	dir, err := runFolder(run)
	if err != nil {
		return err
	}
	if alive, err := journal.Alive(dir); err != nil || alive {
		return usage("run %s still goes on: wait for its end", filepath.Base(dir))
	}
	if to == "" {
		to = filepath.Base(dir) + replay.ArchiveSuffix
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already: remove it, or name another file with -output", to)
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
