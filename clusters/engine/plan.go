package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrCannotHelp is returned where Up can do nothing; its text says why, and
// what a person can do.
var ErrCannotHelp = errors.New("lab cannot bring up a container engine here")

// ErrNeedsRoot is returned where the changes need root's rights.
var ErrNeedsRoot = errors.New("bringing up the container engine needs root")

// UpOptions say how PlanUp and Up work.
type UpOptions struct {
	// Getenv looks up environment variables; nil means the process's own.
	Getenv func(string) string
	// Progress receives what is being done, in one line, at least every few
	// seconds; it may be nil. It is called from one goroutine at a time.
	Progress func(string)
}

func (o UpOptions) tell(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

// changeKind says what a Change does.
type changeKind string

const (
	changeRuntime   changeKind = "runtime"
	changeConfig    changeKind = "config"
	changeLists     changeKind = "package-lists"
	changePackages  changeKind = "packages"
	changeStart     changeKind = "start"
	changeWait      changeKind = "wait"
	changeReload    changeKind = "reload"
	changeSystemctl changeKind = "systemctl-start"
	changeLimits    changeKind = "limits"
)

// Change is one thing that Up will do to the machine.
type Change struct {
	// Kind is a stable name of the sort of change.
	Kind changeKind `json:"kind"`
	// Text says what will be done and why, in a sentence.
	Text string `json:"text"`
	// Command is the command that will be run, File the file that will be
	// written; "" where there is none.
	Command string `json:"command,omitempty"`
	File    string `json:"file,omitempty"`
}

// UpPlan is what Up will do, in this order.
type UpPlan struct {
	// Changes is empty where all works already.
	Changes []Change `json:"changes"`
	// Findings say what was seen of the engine before.
	Findings []Finding `json:"findings"`

	// settings are the daemon.json to write, nil for none.
	settings daemonSettings
	// registers says that the engine is to have lab's runtime.
	registers bool
}

// WriteText writes the plan for people: a change a line, below it the command
// or the file.
func (p UpPlan) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(p.Changes) == 0 {
		fmt.Fprintf(&b, "Nothing to do: %s.\n", p.state())
	}
	for i, c := range p.Changes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, c.Text)
		if c.Command != "" {
			fmt.Fprintf(&b, "   command: %s\n", c.Command)
		}
		if c.File != "" {
			fmt.Fprintf(&b, "   file:    %s\n", c.File)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// state says what is known where nothing is to be changed.
func (p UpPlan) state() string {
	for _, f := range p.Findings {
		if f.Status != StatusOK {
			return "the container engine answers; " + f.Title + " " + f.Detail
		}
	}
	return "the container engine answers, and privileged containers and commands work"
}

// PlanUp says what Up will change so that a container engine answers here and
// can run clusters. It changes nothing itself, but it may start a container,
// which it removes again. The error is ErrCannotHelp or ErrNeedsRoot where
// Up could do nothing, with what a person can do.
func PlanUp(ctx context.Context, o UpOptions) (UpPlan, error) {
	return planUp(ctx, o, realGround(o.Getenv))
}

func planUp(ctx context.Context, o UpOptions, g ground) (UpPlan, error) {
	s, err := look(ctx, g, o.tell)
	if err != nil {
		return UpPlan{}, fmt.Errorf("looking at what is there: %w", err)
	}
	return s.plan(g)
}

// plan decides what has to be done.
func (s survey) plan(g ground) (UpPlan, error) {
	p := UpPlan{Findings: s.tried}
	if s.satisfied() {
		p.Changes, p.registers = s.raise(), s.usesOurs()
		return p, nil
	}
	if err := s.hopeless(); err != nil {
		return p, err
	}
	changes, settings, err := s.registration(g)
	if err != nil {
		return p, err
	}
	p.settings, p.registers = settings, s.wantsOurs()
	if s.answers {
		changes = append(changes, s.reload(g)...)
	} else {
		changes = append(changes, s.startUp(g)...)
	}
	if len(changes) == 0 {
		return p, fmt.Errorf("%w: it answers, and what is wrong with it is not of the kind that lab mends: %s", ErrCannotHelp, brokenText(s.tried))
	}
	p.Changes = append(changes, s.raise()...)
	if !s.root {
		return p, fmt.Errorf("%w: run `sudo lab engine up`; it would do this: %s", ErrNeedsRoot, changesText(changes))
	}
	return p, nil
}

// usesOurs says whether the engine has lab's runtime.
func (s survey) usesOurs() bool { return s.answers && s.info.defaultRuntime == runtimeName }

// wantsOurs says whether the engine is to have lab's runtime: where the host
// lacks a capability, or where it is set up that way.
func (s survey) wantsOurs() bool { return len(s.missing) > 0 || s.named || s.usesOurs() }

// satisfied says whether there is nothing to change. What could not be tried
// counts as working where there is no reason against it; an older copy of the
// runtime stays where the user cannot replace it.
func (s survey) satisfied() bool {
	if !s.answers || s.has(StatusFail) {
		return false
	}
	if s.usesOurs() {
		return s.current || !s.root
	}
	return !s.has(StatusSkip) || len(s.missing) == 0
}

// hopeless says why nothing can be done, nil where something can.
func (s survey) hopeless() error {
	switch {
	case s.os != "linux":
		return fmt.Errorf("%w: %s runs containers in a virtual machine; install and start Docker Desktop, colima or podman machine", ErrCannotHelp, s.os)
	case s.hostVar != "":
		return fmt.Errorf("%w: DOCKER_HOST is %q, an engine that is not lab's to start; start that one, or unset DOCKER_HOST", ErrCannotHelp, s.hostVar)
	case s.answers && s.engine.Name != "docker":
		return fmt.Errorf("%w: %s answers, but does not start privileged containers, and lab mends docker only: %s; or set %s=docker", ErrCannotHelp, program(s.engine), brokenText(s.tried), EnvEngine)
	case s.answers && !s.local:
		return fmt.Errorf("%w: the docker that answers runs on another machine: %s", ErrCannotHelp, brokenText(s.tried))
	case !s.answers && s.dockerd == "" && !s.aptGet:
		return fmt.Errorf("%w: docker is not installed, and %s has no apt-get; install and start it by hand, as root: %s", ErrCannotHelp, s.distro.name, s.distro.install())
	}
	return nil
}

// registration returns the changes that give the engine lab's runtime: none
// where the host has all capabilities, unless the engine is set up for it.
func (s survey) registration(g ground) ([]Change, daemonSettings, error) {
	if !s.wantsOurs() {
		return nil, nil, nil
	}
	var changes []Change
	path := g.path(runtimePath)
	if !s.current {
		changes = append(changes, Change{Kind: changeRuntime, File: path,
			Text: "Install this program as an OCI runtime that asks for no more than this host has" + missingText(s.missing) + "."})
	}
	settings, change, err := s.settings.withRuntime(path)
	if err != nil || !change {
		return changes, nil, err
	}
	before, err := s.settings.defaultRuntime()
	if err != nil {
		return nil, nil, err
	}
	text := "Register it with docker and make it the default"
	if before != "" {
		text += fmt.Sprintf(" (instead of %q)", before)
	}
	text += "; all other settings stay"
	if len(s.settings) > 0 {
		text += ", and a copy of the file is kept beside it"
	}
	return append(changes, Change{Kind: changeConfig, Text: text + ".", File: g.path(daemonConfig)}), settings, nil
}

// reload returns the change that makes a running engine take the runtime
// over.
func (s survey) reload(g ground) []Change {
	if s.usesOurs() || !s.wantsOurs() {
		return nil
	}
	return []Change{{Kind: changeReload, Command: fmt.Sprintf("kill -HUP $(cat %s)", g.path(daemonPID)),
		Text: "Make the running engine read its configuration again; containers go on running."}}
}

// startUp returns the changes that install and start docker.
func (s survey) startUp(g ground) []Change {
	var changes []Change
	if s.dockerd == "" && s.stale {
		changes = append(changes, Change{Kind: changeLists, Text: "Fetch the package lists.", Command: commandText(aptUpdate())})
	}
	if s.dockerd == "" {
		changes = append(changes, Change{Kind: changePackages, Text: "Install docker from the distribution's packages (half a minute).", Command: commandText(aptInstall(s.packages))})
	}
	switch {
	case s.running != 0:
		changes = append(changes, Change{Kind: changeWait,
			Text: fmt.Sprintf("Wait for dockerd (process %d), which runs and does not answer yet.", s.running)})
	case s.systemd:
		changes = append(changes, Change{Kind: changeSystemctl, Text: "Start docker.", Command: "systemctl start docker"})
	default:
		changes = append(changes, Change{Kind: changeStart, Command: "dockerd", File: g.path(daemonLog),
			Text: "Start dockerd in the background, as there is no systemd that would; its log goes to the file. It ends with the machine, or by `kill $(cat " + g.path(daemonPID) + ")`."})
	}
	return changes
}

func missingText(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return " (it lacks " + strings.Join(missing, ", ") + ")"
}

func changesText(changes []Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, strings.TrimSuffix(c.Text, "."))
	}
	return strings.Join(list, "; ")
}

// brokenText says what does not work, why, and what to do.
func brokenText(findings []Finding) string {
	var list []string
	for _, f := range findings {
		if f.Status == StatusFail || f.Status == StatusSkip {
			text := f.Title + ": " + f.Detail
			if f.Cause != "" {
				text += " (" + f.Cause + "; " + f.Remedy + ")"
			}
			list = append(list, text)
		}
	}
	return strings.Join(list, "; ")
}
