package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// probeLabel marks the containers that a trial makes.
const probeLabel = "io.kind-lab.probe=true"

const (
	trialTimeout = 60 * time.Second
	// cleanTimeout bounds the removal of what a trial made, which is done
	// even where the trial's own time is over.
	cleanTimeout = 20 * time.Second
)

// trial tries what a node needs of the engine: a privileged container, and a
// privileged command in it, with the flags that kind gives.
type trial struct {
	engine clusters.Engine
	info   info
	ground ground
	// id makes names that nobody else uses.
	id string
}

// verdicts are what a trial found.
type verdicts struct {
	privileged, exec Finding
	// seen is nil where the container could not tell.
	seen *facts
}

func newTrial(e clusters.Engine, facts info, g ground) trial {
	return trial{engine: e, info: facts, ground: g, id: strings.ToLower(rand.Text()[:10])}
}

// run does the trial. What does not work is a finding; the error tells of
// something that was left behind, or of a context that ended.
func (t trial) run(ctx context.Context) (v verdicts, err error) {
	v.privileged = Finding{ID: FindingPrivileged, Title: "privileged container"}
	v.exec = Finding{ID: FindingExec, Title: "privileged command in a container"}
	limited, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	image, prepareErr := t.prepare(limited)
	defer func() { err = errors.Join(err, t.clean(ctx, image)) }()
	if prepareErr != nil {
		v.privileged.Status, v.privileged.Detail = StatusSkip, "could not be tried: "+prepareErr.Error()
		v.exec.Status, v.exec.Detail = StatusSkip, "could not be tried: "+prepareErr.Error()
		return v, ctx.Err()
	}
	began := t.ground.now()
	if err := t.start(limited, image); err != nil {
		failed(&v.privileged, err)
		v.exec.Status, v.exec.Detail = StatusSkip, "not tried: there is no privileged container"
		return v, ctx.Err()
	}
	v.privileged.Status, v.privileged.Detail = StatusOK, "starts ("+t.since(began)+")"
	began = t.ground.now()
	v.seen, err = t.look(limited, image)
	if err != nil {
		failed(&v.exec, err)
		return v, ctx.Err()
	}
	v.exec.Status, v.exec.Detail = StatusOK, "runs ("+t.since(began)+")"
	return v, nil
}

func (t trial) since(began time.Time) string {
	return fmt.Sprintf("%.1f s", t.ground.now().Sub(began).Seconds())
}

func failed(f *Finding, err error) {
	f.Status, f.Detail = StatusFail, printable(said(err).Error())
	f.Cause, f.Remedy = explain(knownFailures(), f.Detail)
	if f.Cause == "" {
		f.Cause = "the nodes of a kind cluster are privileged containers, and kind runs privileged commands in them"
		f.Remedy = "the engine's own log says more: `journalctl -u docker`, or " + daemonLog + " where lab started the engine"
	}
}

func (t trial) container() string { return probeName + "-" + t.id }

func (t trial) start(ctx context.Context, image probeImage) error {
	args := []string{
		"run", "--detach", "--name", t.container(), "--label", probeLabel, "--privileged",
		"--tmpfs", "/tmp", "--tmpfs", "/run", "--volume", "/lib/modules:/lib/modules:ro",
	}
	switch t.engine.Name {
	case "docker":
		args = append(args, "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined", "--cgroupns=private")
	case "nerdctl":
		args = append(args, "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined")
	case "podman":
		args = append(args, "--cgroupns=private")
	}
	return t.engine.Run(ctx, nil, io.Discard, append(args, image.ref)...)
}

// look runs a privileged command in the container and returns what it saw,
// nil where the image cannot tell.
func (t trial) look(ctx context.Context, image probeImage) (*facts, error) {
	out, err := t.engine.Output(ctx, append([]string{"exec", "--privileged", t.container()}, image.exec...)...)
	if err != nil || !image.facts {
		return nil, err
	}
	var seen facts
	if err := json.Unmarshal(out, &seen); err != nil {
		return nil, fmt.Errorf("reading what the probe saw: %w", err)
	}
	return &seen, nil
}

// clean removes the container and the image, whatever became of ctx.
func (t trial) clean(ctx context.Context, image probeImage) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
	defer cancel()
	err := removed(t.engine.Run(ctx, nil, io.Discard, "rm", "--force", "--volumes", t.container()))
	if image.remove {
		err = errors.Join(err, removed(t.engine.Run(ctx, nil, io.Discard, "rmi", "--force", image.ref)))
	}
	if err != nil {
		return fmt.Errorf("removing the doctor's own container %s and image %s: %w", t.container(), image.ref, err)
	}
	return nil
}

// removed takes it for success where there was nothing to remove.
func removed(err error) error {
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such") {
		return nil
	}
	return err
}
