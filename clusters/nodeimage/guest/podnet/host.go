package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// host is what podnet changes: the kernel's routes and NAT rules, through
// their command line tools, and files.
type host interface {
	// run gives stdin to a command and returns what it wrote.
	run(ctx context.Context, stdin, name string, args ...string) (string, error)
	// write replaces a file as a whole.
	write(path string, data []byte) error
}

// shellHost is the machine that podnet runs on.
type shellHost struct{}

func (shellHost) run(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

func (shellHost) write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making room for %s: %w", path, err)
	}
	// containerd reads names that end in .conflist alone.
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

var _ host = shellHost{}
