package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
)

// formatFlags are those of `lab fmt`.
type formatFlags struct{ check, diff, write, recursive bool }

func (a *app) formatCommand() *cobra.Command {
	f := formatFlags{}
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Format scenario files",
		Long: `Rewrites scenario files (.hcl) in the canonical format: indentation, and the
alignment of = and of comments. It changes nothing but white space. A PATH is a
file, a folder (the files in it; with --recursive those below it too), or - for
standard input, which is written to standard output. Without a PATH it is the
current folder. The names of files that change are printed.

Exit codes: 0 done, 1 a file is not formatted (with --check), 2 a file cannot be
parsed; such a file is left as it is.`,
		Example: "  lab fmt\n  lab fmt --check --recursive scenarios",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"hcl"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.format(args, f) },
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "change nothing; exit with 1 if a file is not formatted")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "print the changes as a diff")
	cmd.Flags().BoolVar(&f.write, "write", true, "write the files; --write=false only prints their names")
	cmd.Flags().BoolVar(&f.recursive, "recursive", false, "format the files in the folders below, too")
	return cmd
}

func (a *app) format(paths []string, f formatFlags) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, path := range paths {
		if path == "-" {
			if len(paths) > 1 {
				return usage("- stands for standard input and goes with no other path")
			}
			return a.formatInput(f)
		}
		found, err := scenarioFiles(path, f.recursive)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	changed, broken := false, false
	for _, name := range files {
		did, good, err := a.formatFile(name, f)
		if err != nil {
			return err
		}
		changed, broken = changed || did, broken || !good
	}
	switch {
	case broken:
		return silent(exitUsage)
	case changed && f.check:
		return silent(exitFail)
	}
	return nil
}

// scenarioFiles returns the files to format at a path.
func scenarioFiles(path string, recursive bool) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("there is no file or folder %s", path)
	case err != nil:
		return nil, usage("%v", err)
	case !info.IsDir() && !strings.HasSuffix(path, ".hcl"):
		return nil, usage("%s is no scenario file in the native syntax: their names end in .hcl", path)
	case !info.IsDir():
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && name != path
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || name != path && !recursive):
			return filepath.SkipDir
		case !entry.IsDir() && !hidden && strings.HasSuffix(name, ".hcl"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, usage("looking for scenario files: %v", err)
	}
	return files, nil
}

func (a *app) formatInput(f formatFlags) error {
	src, err := io.ReadAll(a.stdin)
	if err != nil {
		return broken(fmt.Errorf("reading standard input: %w", err))
	}
	out, problems := dsl.Format(src, "<stdin>")
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	changed := !bytes.Equal(src, out)
	switch {
	case f.diff:
		_, err = a.stdout.Write(diff.Diff("<stdin>", src, "<stdin>", out))
	case f.write && !f.check:
		_, err = a.stdout.Write(out)
	}
	if err != nil {
		return broken(fmt.Errorf("writing to standard output: %w", err))
	}
	if changed && f.check {
		return silent(exitFail)
	}
	return nil
}

// formatFile formats a file. It says whether that changed it, and whether it
// could be parsed.
func (a *app) formatFile(name string, f formatFlags) (changed, good bool, err error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return false, false, broken(err)
	}
	out, problems := dsl.Format(src, name)
	if a.tell(a.stderr, problems) {
		return false, false, nil
	}
	if bytes.Equal(src, out) {
		return false, true, nil
	}
	fmt.Fprintln(a.stdout, name)
	if f.diff {
		if _, err := a.stdout.Write(diff.Diff(name, src, name, out)); err != nil {
			return true, true, broken(fmt.Errorf("writing to standard output: %w", err))
		}
	}
	if f.check || !f.write {
		return true, true, nil
	}
	if err := replaceFile(name, out); err != nil {
		return true, true, broken(fmt.Errorf("writing %s: %w", name, err))
	}
	return true, true, nil
}

// replaceFile writes a file anew, whole or not at all, with the mode it has.
func replaceFile(name string, data []byte) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(data)
	if err := errors.Join(err, temporary.Chmod(info.Mode().Perm()), temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), name)
}
