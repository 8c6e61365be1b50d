package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	// pollEvery is how often an engine is asked that was started or asked to
	// read its configuration.
	pollEvery = 200 * time.Millisecond
	// tellEvery is how often a person hears that it goes on.
	tellEvery = 2 * time.Second
	// logLines is how much of a log an error shows.
	logLines = 20
)

// Up makes the changes of the plan, in their order, and then tries whether
// privileged containers and commands work. It returns what that trial found;
// the error says which change failed, with what the failed program said, and
// what was done before it is left in place: planning and running Up again
// takes over from there.
func Up(ctx context.Context, o UpOptions, p UpPlan) (Report, error) {
	return up(ctx, o, p, realGround(o.Getenv))
}

func up(ctx context.Context, o UpOptions, p UpPlan, g ground) (Report, error) {
	if len(p.Changes) == 0 {
		return newReport(p.Findings), nil
	}
	w := work{ground: g, plan: p, tell: o.tell, engine: clusters.Engine{Name: "docker"}}
	for i, c := range p.Changes {
		o.tell(fmt.Sprintf("%d of %d: %s", i+1, len(p.Changes), c.Text))
		if err := w.do(ctx, c); err != nil {
			return Report{}, fmt.Errorf("bringing up the container engine: %s: %w", strings.TrimSuffix(c.Text, "."), err)
		}
	}
	if err := w.settle(ctx); err != nil {
		return Report{}, fmt.Errorf("bringing up the container engine: %w", err)
	}
	return w.verify(ctx)
}

// work carries a plan out.
type work struct {
	ground ground
	plan   UpPlan
	tell   func(string)
	engine clusters.Engine
}

func (w work) do(ctx context.Context, c Change) error {
	switch c.Kind {
	case changeRuntime:
		return w.installRuntime()
	case changeConfig:
		_, err := writeSettings(w.ground.path(daemonConfig), w.plan.settings, w.ground.now())
		return err
	case changeLists:
		return w.command(ctx, aptUpdate())
	case changePackages:
		return w.install(ctx)
	case changeStart:
		return w.start(ctx)
	case changeSystemctl:
		return w.systemctl(ctx)
	case changeWait:
		return w.answers(ctx, nil, func(info) bool { return true })
	case changeReload:
		return w.reload(ctx)
	case changeLimits:
		w.raiseLimits()
		return nil
	}
	return fmt.Errorf("no such change: %q", c.Kind)
}

// installRuntime copies this program to where the engine looks for it.
func (w work) installRuntime() error {
	executable, err := w.ground.executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	program, err := os.Open(executable)
	if err != nil {
		return err
	}
	return errors.Join(replaceFile(w.ground.path(runtimePath), program, 0o755), program.Close())
}

// settle makes the engine take the runtime over where it was started before
// it could know of it, as by a package's own scripts.
func (w work) settle(ctx context.Context) error {
	facts, err := ask(ctx, w.engine)
	if err != nil {
		return err
	}
	if !w.plan.registers || facts.defaultRuntime == runtimeName {
		return nil
	}
	w.tell("making the engine read its configuration again")
	return w.reload(ctx)
}

// verify tries what a cluster's nodes need.
func (w work) verify(ctx context.Context) (Report, error) {
	facts, err := ask(ctx, w.engine)
	if err != nil {
		return Report{}, fmt.Errorf("trying the container engine that was brought up: %w", err)
	}
	w.tell("trying a privileged container")
	tried, err := newTrial(w.engine, facts, w.ground).run(ctx)
	report := newReport([]Finding{engineFinding(program(w.engine), facts), tried.privileged, tried.exec, storageFinding(facts)})
	report.Engine = engineFacts(w.engine, facts, w.ground)
	if err != nil {
		return report, err
	}
	if !report.OK() {
		return report, fmt.Errorf("the container engine was brought up, but it cannot run clusters: %s", brokenText(report.Findings))
	}
	return report, nil
}

func aptUpdate() []string {
	return []string{"apt-get", "update", "-q"}
}

// aptInstall waits for another apt that runs, instead of failing.
func aptInstall(packages []string) []string {
	return append([]string{"apt-get", "install", "-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"}, packages...)
}

func commandText(args []string) string { return strings.Join(args, " ") }

func (w work) install(ctx context.Context) error {
	packages, _ := wantedPackages(ctx)
	if err := w.command(ctx, aptInstall(packages)); err != nil {
		return err
	}
	if findProgram("dockerd", w.ground.path("/usr/sbin/dockerd")) == "" {
		return errors.New("the packages were installed, but there is no dockerd on the PATH or in /usr/sbin")
	}
	return nil
}

// command runs a program, tells its last line every few seconds, and keeps
// what it said for the error.
func (w work) command(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	var said lines
	cmd.Stdout, cmd.Stderr = &said, &said
	stop := every(tellEvery, func(passed time.Duration) {
		w.tell(fmt.Sprintf("%s (%.0f s): %s", args[0], passed.Seconds(), said.last()))
	})
	err := cmd.Run()
	stop()
	if err != nil {
		return clusters.NewCommandError(cmd, said.tail(logLines), errors.Join(err, ctx.Err()))
	}
	return nil
}

func (w work) systemctl(ctx context.Context) error {
	if err := w.command(ctx, []string{"systemctl", "start", "docker"}); err != nil {
		return errors.Join(err, w.journal(ctx))
	}
	return w.answers(ctx, nil, func(info) bool { return true })
}

// journal returns what systemd kept of docker's words, as an error.
func (w work) journal(ctx context.Context) error {
	text, err := exec.CommandContext(ctx, "journalctl", "--unit", "docker", "--lines", "20", "--no-pager", "--output", "cat").Output()
	if err != nil {
		return fmt.Errorf("reading docker's journal: %w", err)
	}
	return fmt.Errorf("the end of docker's journal: %s%s", printable(string(text)), hint(string(text)))
}

// reload makes the running dockerd read its configuration, and waits until it
// has taken lab's runtime over.
func (w work) reload(ctx context.Context) error {
	pid := w.ground.dockerdPID()
	if pid == 0 {
		return fmt.Errorf("finding the running dockerd: %s names no process of that name; restart docker", w.ground.path(daemonPID))
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("finding the running dockerd: %w", err)
	}
	if err := process.Signal(reloadSignal); err != nil {
		return fmt.Errorf("telling dockerd (process %d) to read its configuration: %w", pid, err)
	}
	return w.answers(ctx, nil, func(facts info) bool { return facts.defaultRuntime == runtimeName })
}

// answers waits until the engine answers and its facts are right, ended tells
// that it ended, or the time is over.
func (w work) answers(ctx context.Context, ended <-chan error, right func(info) bool) error {
	ctx, cancel := context.WithTimeout(ctx, w.ground.patience)
	defer cancel()
	began := time.Now()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	told := began
	var before error
	for {
		facts, err := ask(ctx, w.engine)
		if err == nil && right(facts) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("it answers, and its default runtime is still %q", facts.defaultRuntime)
		}
		if ctx.Err() != nil && before != nil { // it was asked too late to answer
			err = before
		}
		before = err
		if time.Since(told) >= tellEvery {
			told = time.Now()
			w.tell(fmt.Sprintf("waiting for the engine (%.0f s): %v", time.Since(began).Seconds(), err))
		}
		select {
		case <-ticker.C:
		case exit := <-ended:
			return fmt.Errorf("dockerd ended before it answered: %w", exit)
		case <-ctx.Done():
			return fmt.Errorf("the engine was not ready within %.0f s: %w", time.Since(began).Seconds(), err)
		}
	}
}
