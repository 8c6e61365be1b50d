package ociruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Name is the base name under which an executable of this project is an OCI
// runtime.
const Name = "lab-runc"

// IsInvocation says whether a program called by this name (its argv[0]) is
// to behave as the OCI runtime, that is to call Run and nothing else.
func IsInvocation(argv0 string) bool { return filepath.Base(argv0) == Name }

// Runtime adapts one call of an OCI runtime to this host. The zero value is
// not usable; New returns one for the real host.
type Runtime struct {
	// Limits returns what the host can give.
	Limits func() (Limits, error)
	// Find returns the path of the runtime to become.
	Find func() (string, error)
	// Exec becomes the program at path; it returns only where that fails.
	Exec func(path string, argv, environ []string) error
	// Now is the clock of the log's lines.
	Now func() time.Time
}

// New returns the runtime for this host.
func New() Runtime {
	return Runtime{
		Limits: func() (Limits, error) { return ReadLimits("/proc") },
		Find:   findRunc,
		Exec:   become,
		Now:    time.Now,
	}
}

// Run does one call of the runtime: args are the arguments after the
// program's name, environ is the environment that runc gets. It returns only
// on failure, with the exit code to end with; the failure was then written to
// stderr and to the file of --log, which is where engines read it.
func (r Runtime) Run(args, environ []string, stderr io.Writer) int {
	inv := parseArgs(args)
	err := r.become(inv, args, environ)
	if err == nil {
		return 0
	}
	err = errors.Join(err, r.log(inv, err))
	fmt.Fprintf(stderr, "%s: %v\n", Name, err)
	return 1
}

func (r Runtime) become(inv invocation, args, environ []string) error {
	if err := r.adapt(inv); err != nil {
		return err
	}
	runc, err := r.Find()
	if err != nil {
		return err
	}
	if err := r.Exec(runc, append([]string{runc}, args...), environ); err != nil {
		return fmt.Errorf("starting %s: %w", runc, err)
	}
	return nil
}

// adapt rewrites the specification that the call names. One that is not there
// is left to runc, which has words for it.
func (r Runtime) adapt(inv invocation) error {
	path, processOnly := inv.specFile()
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the specification: %w", err)
	}
	limits, err := r.Limits()
	if err != nil {
		return err
	}
	rewrite := RewriteSpec
	if processOnly {
		rewrite = RewriteProcess
	}
	out, changes, err := rewrite(data, limits)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(changes) == 0 {
		return nil
	}
	return replace(path, out)
}

// replace puts data in place of the file at path, keeping its mode.
func replace(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("replacing the specification: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".lab-*")
	if err != nil {
		return fmt.Errorf("replacing the specification: %w", err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("replacing the specification: %w", errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// log writes the failure where the engine looks for a runtime's last words.
func (r Runtime) log(inv invocation, failure error) error {
	path := inv.flags["log"]
	if path == "" {
		return nil
	}
	line := []byte(fmt.Sprintf("%s: %v\n", Name, failure))
	if inv.flags["log-format"] == "json" {
		entry := map[string]string{"level": "error", "msg": Name + ": " + failure.Error(), "time": r.Now().Format(time.RFC3339)}
		text, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		line = append(text, '\n')
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the runtime's log: %w", err)
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// findRunc looks on the PATH and in the places where distributions put runc,
// as an engine's PATH may be short.
func findRunc() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding runc: %w", err)
	}
	candidates := []string{"runc", "/usr/sbin/runc", "/usr/bin/runc", "/usr/local/sbin/runc", "/usr/local/bin/runc"}
	for _, candidate := range candidates {
		path, err := exec.LookPath(candidate)
		if err == nil && !sameFile(self, path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("finding runc: not on the PATH (%s), in /usr/sbin, /usr/bin, /usr/local/sbin or /usr/local/bin; install it (Debian: apt-get install runc)", os.Getenv("PATH"))
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
