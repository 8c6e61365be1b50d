package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// reloadSignal makes dockerd read its configuration again.
const reloadSignal = syscall.SIGHUP

// openFiles is what docker's own systemd unit asks for at least.
const openFiles = 1048576

// endTimeout bounds the wait for a dockerd that is asked to end.
const endTimeout = 15 * time.Second

// start starts dockerd so that it outlives this process: in a session of its
// own, with its log in a file. Where it does not come up, it is ended again.
func (w work) start(ctx context.Context) error {
	path := findProgram("dockerd", w.ground.path("/usr/sbin/dockerd"), w.ground.path("/usr/bin/dockerd"), w.ground.path("/usr/local/bin/dockerd"))
	if path == "" {
		return errors.New("there is no dockerd on the PATH or in /usr/sbin, /usr/bin or /usr/local/bin")
	}
	logPath := w.ground.path(daemonLog)
	if _, err := folderOf(logPath); err != nil {
		return fmt.Errorf("making room for dockerd's log: %w", err)
	}
	log, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("opening dockerd's log: %w", err)
	}
	defer log.Close()
	begins, err := log.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("opening dockerd's log: %w", err)
	}
	if err := raiseOpenFiles(); err != nil {
		return err
	}
	cmd := exec.Command(path, w.ground.dockerdArgs...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", path, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- exitOf(cmd.Wait()) }()
	if err := w.answers(ctx, ended, func(info) bool { return true }); err != nil {
		return errors.Join(err, w.lastWords(logPath, begins), end(cmd.Process, ended))
	}
	return nil
}

// exitOf is how dockerd ended, never nil.
func exitOf(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// lastWords are the end of dockerd's log since it was started, as an error.
func (w work) lastWords(logPath string, begins int64) error {
	text, err := tail(logPath, begins, logLines)
	if err != nil {
		return fmt.Errorf("reading dockerd's log: %w", err)
	}
	return fmt.Errorf("the end of %s:\n%s%s", logPath, text, hint(text))
}

// end tells dockerd to end and waits for it; it is nil where it has ended
// already.
func end(process *os.Process, ended <-chan error) error {
	if err := process.Signal(syscall.SIGTERM); errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	timer := time.NewTimer(endTimeout)
	defer timer.Stop()
	select {
	case _ = <-ended: // in whatever way
		return nil
	case <-timer.C:
		return fmt.Errorf("dockerd (process %d) does not end: kill it by hand", process.Pid)
	}
}

// raiseOpenFiles lets the children of this process, and so the containers,
// open as many files as may be: a shell's usual 1024 is too few for a node.
func raiseOpenFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("reading the limit of open files: %w", err)
	}
	higher := syscall.Rlimit{Cur: max(limit.Max, openFiles), Max: max(limit.Max, openFiles)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &higher) == nil {
		return nil
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raising the limit of open files: %w", err)
	}
	return nil
}
