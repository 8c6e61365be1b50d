package reaper

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Log is the file in the run's folder in which its reaper says what it did.
const Log = "reaper.log"

// Guard is the reaper of a run, seen from the run.
type Guard struct {
	pipe    *os.File
	process *exec.Cmd
}

// Start starts a process that is to clean up should this one be gone: the
// program that runs now, with the arguments and what is added to its
// environment. Its standard input is the pipe that Released waits for, and what
// it writes goes to Log in the run's folder.
func Start(dir string, args, env []string) (*Guard, error) {
	g, err := start(dir, args, env)
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	return g, nil
}

func start(dir string, args, env []string) (*Guard, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, Log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = held, log, log
	// It is no part of any run, which would end it.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, Variable+"=") })
	cmd.Env = append(cmd.Env, env...)
	leave(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, pipe.Close())
	}
	return &Guard{pipe: pipe, process: cmd}, nil
}

// Release tells the reaper that there is nothing left to do for it, and returns
// when it is gone.
func (g *Guard) Release() error {
	_, err := g.pipe.WriteString(Word)
	if err = errors.Join(err, g.pipe.Close(), g.process.Wait()); err != nil {
		return fmt.Errorf("ending the reaper: %w", err)
	}
	return nil
}
