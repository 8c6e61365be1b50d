package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// evidenceLines bounds what an error shows of each thing that failed.
const evidenceLines = 6

// evidenceWidth bounds each of its lines, in bytes.
const evidenceWidth = 300

// explain turns a failed boot into a *CreateError, with what the nodes say.
func (p *Provisioner) explain(ctx context.Context, c *creation, err error, limit time.Duration) error {
	e := &CreateError{ID: c.id, Version: c.spec.Version, Step: c.log.current(), Err: err}
	said := libraryOutput(err)
	nodes := p.nodeEvidence(ctx, c.id)
	all := strings.Join(append([]string{err.Error(), said}, nodes...), "\n")
	var notReady *NotReadyError
	var fatal *fatalError
	switch {
	case errors.As(err, &fatal):
		e.Step, e.Reason, e.Remedy = "", fatal.Error(), remedy(fatal.line, c.spec.Version)
		return e
	case errors.As(err, &notReady):
		e.Reason = fmt.Sprintf("not ready after %v: %s", limit, strings.Join(notReady.Waiting, "; "))
		e.Remedy = remedy(e.Reason, c.spec.Version)
		e.Evidence = nodes
		return e
	case errors.Is(err, errOverdue):
		e.Reason = fmt.Sprintf("not ready after %v", limit)
	default:
		e.Reason = firstOf(regexp.MustCompile(causes).FindString(all), lastLine(said), err.Error())
	}
	e.Remedy = remedy(all, c.spec.Version)
	e.Evidence = append(lastLines(said, evidenceLines), nodes...)
	return e
}

// libraryOutput is what the command wrote with which the library failed.
func libraryOutput(err error) string {
	if run := kindexec.RunErrorForError(err); run != nil {
		return string(run.Output)
	}
	return ""
}

// causes find the line that matters in much output.
const causes = `(?m)[^\n]*(?:unable to apply caps|can't get final child's PID|port is already allocated|address already in use|` +
	`No such image|manifest unknown|pull access denied|no space left on device|too many open files|` +
	`unrecognized feature gate|cannot set feature gate|unknown flag|cgroup v1|Cannot connect to the Docker daemon|` +
	`could not find a log line|error execution phase)[^\n]*`

// remedies are by what the output says, the first that fits; {version} is
// the version, {name} what the expression captures.
func remedies() [][2]string {
	return [][2]string{
		{`unrecognized feature gate: (\w+)`, "Kubernetes {version} has no feature gate {name}: take it out of feature_gates for this cluster"},
		{`cannot set feature gate (\w+) to \w+, feature is locked`, "Kubernetes {version} has {name} for good: take it out of feature_gates for this cluster"},
		{`unknown (?:shorthand )?flag: (\S+)`, "Kubernetes {version} has no flag {name}: take it out of the component's arguments"},
		{`not run on a host using cgroup v1`, "Kubernetes {version} wants cgroup v2, or a kubelet configuration with failCgroupV1: false"},
		{`unable to apply caps`, "the engine cannot start privileged containers on this host: run lab engine up"},
		{`can't get final child's PID`, "the host lacks CAP_SYS_RESOURCE and the runtime is not adapted to that: run lab doctor"},
		{`Cannot connect to the Docker daemon`, "no engine answers: run lab engine up"},
		{`port is already allocated|address already in use`, "another process took the API server's port in this moment: try again"},
		{`no space left on device`, "the engine's disk is full: lab image prune and lab gc make room"},
		{`too many open files`, "the host's inotify limits are used up: run lab engine up as root, which raises them, or remove clusters with lab gc"},
		{`could not find a log line`, "the node's container does not boot: lab doctor tries out what it needs"},
	}
}

func remedy(text, version string) string {
	for _, r := range remedies() {
		if found := regexp.MustCompile(r[0]).FindStringSubmatch(text); found != nil {
			return strings.NewReplacer("{version}", version, "{name}", found[len(found)-1]).Replace(r[1])
		}
	}
	return ""
}

// nodeEvidence is what the cluster's containers say of themselves.
func (p *Provisioner) nodeEvidence(ctx context.Context, id string) []string {
	found, err := p.containers(ctx, clusterLabel+"="+id)
	if err != nil {
		return []string{"the nodes could not be looked at: " + err.Error()}
	}
	var evidence []string
	for _, c := range found {
		if !c.State.Running {
			evidence = append(evidence, fmt.Sprintf("%s: container is %s (exit code %d) %s", c.Name, c.State.Status, c.State.ExitCode, c.State.Error))
			evidence = append(evidence, p.bootLog(ctx, c.Name)...)
			continue
		}
		if c.Config.Labels[roleLabel] == roleControlPlane || c.Config.Labels[roleLabel] == roleWorker {
			evidence = append(evidence, p.kubeletLog(ctx, c.Name)...)
		}
	}
	return evidence
}

// bootLog is the end of a container's own output.
func (p *Provisioner) bootLog(ctx context.Context, name string) []string {
	var out bytes.Buffer
	if err := p.stream(ctx, nil, &out, &out, "logs", "--tail", fmt.Sprint(evidenceLines), name); err != nil {
		return []string{name + ": " + err.Error()}
	}
	return prefixed(name, lastLines(out.String(), evidenceLines))
}

// kubeletLog is the last errors of a node's kubelet.
func (p *Provisioner) kubeletLog(ctx context.Context, name string) []string {
	var out bytes.Buffer
	if err := p.NodeExec(ctx, name, nil, &out, nil, "journalctl", "--unit=kubelet", "--no-pager", "--output=cat", "--lines=400"); err != nil {
		return []string{name + ": kubelet: " + err.Error()}
	}
	return prefixed(name+": kubelet", lastErrors(out.String(), evidenceLines))
}

// lastErrors are the last different lines that klog marks as errors or fatal,
// or that a component ended with; without its time and place.
func lastErrors(log string, n int) []string {
	var kept []string
	seen := map[string]bool{}
	for line := range strings.Lines(log) {
		text := commandFailed(line)
		if text == "" {
			if found := regexp.MustCompile(`^[EF]\d{4} \S+\s+\d+ \S+\] (.*)`).FindStringSubmatch(strings.TrimSpace(line)); found != nil {
				text = found[1]
			}
		}
		if text != "" && !seen[text] && !strings.HasPrefix(text, "Unable to write event") {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept[max(0, len(kept)-n):]
}

func prefixed(prefix string, lines []string) []string {
	for i, line := range lines {
		if len(line) > evidenceWidth {
			line = strings.ToValidUTF8(line[:evidenceWidth], "") + " …"
		}
		lines[i] = prefix + ": " + line
	}
	return lines
}

// lastLines leaves out what kubeadm advises, and what has no space in it: it
// ends with a trace of Go's functions.
func lastLines(text string, n int) []string {
	advice := regexp.MustCompile(`^(?:Unfortunately|This error is likely|- |If you are|Additionally|To troubleshoot|Here is one|Once you have)`)
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Contains(line, " ") && !advice.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return kept[max(0, len(kept)-n):]
}

func lastLine(text string) string {
	return strings.Join(lastLines(text, 1), "")
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// unreachable adds what to do where the engine does not answer.
func (p *Provisioner) unreachable(err error) error {
	if r := remedy(err.Error(), ""); r != "" {
		return fmt.Errorf("%w: %s", err, r)
	}
	return err
}
