package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the program: the tests start their own binary as it.
func TestMain(m *testing.M) {
	if os.Getenv("LAB_TEST_PAUSE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestPauseEndsWithASignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LAB_TEST_PAUSE=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		tick, deadline := time.NewTicker(50*time.Millisecond), time.After(20*time.Second)
		defer tick.Stop()
		for done := false; !done; {
			select {
			case err := <-ended:
				// Before it listens a signal ends it the hard way.
				var killed *exec.ExitError
				if err != nil && !(errors.As(err, &killed) && killed.Sys().(syscall.WaitStatus).Signal() == signal) {
					t.Errorf("%s: %v", signal, err)
				}
				done = true
			case <-tick.C:
				if err := cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
			case <-deadline:
				t.Fatalf("%s did not end it", signal)
			}
		}
	}
}

func TestReap(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		reap()
		// Once it is reaped nobody else can wait for it.
		if _, err := syscall.Wait4(cmd.Process.Pid, nil, syscall.WNOHANG, nil); errors.Is(err, syscall.ECHILD) {
			return
		}
		select {
		case <-deadline:
			t.Fatal("the child was not reaped")
		case <-tick.C:
		}
	}
}
