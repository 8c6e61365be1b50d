package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/labs/report"
)

// result is what came of a lab.
type result struct {
	Lab string `json:"lab"`
	// Result is "pass", "fail" or "error"; "skip" if nothing of it runs on the
	// chosen clusters; "left out" if there was no time for it or an image that it
	// needs is missing; "stopped" if it did not end in time; "not run" after an
	// interrupt.
	Result       string           `json:"result"`
	Expectations report.Tally     `json:"expectations"`
	Elapsed      time.Duration    `json:"elapsed"`
	Run          string           `json:"run,omitempty"`
	Clusters     []report.Cluster `json:"clusters,omitempty"`
	// Skipped are the clusters that were left out.
	Skipped []report.SkippedCluster `json:"skipped,omitempty"`
	// Note is what else there is to say.
	Note string `json:"note,omitempty"`
	// First is what came of it before it was run once more.
	First *result `json:"first,omitempty"`
}

// leftOut is the result of a lab that was not run.
const leftOut = "left out"

// asExpected says whether nothing of it came out otherwise.
func (r result) asExpected() bool { return r.Result == "pass" || r.Result == "skip" }

// judged says whether the lab was run to its end.
func (r result) judged() bool { return r.Result == "pass" || r.Result == "fail" || r.Result == "error" }

// runAll runs the labs, as many at a time as b.parallel says, hands those that
// passed to after, which returns what to note, and sums up.
func (b batch) runAll(ctx context.Context, jobs []job, after func(job, report.Report) (string, error)) (int, error) {
	began := time.Now()
	limited, cancel := b.limits.bound(ctx)
	defer cancel()
	results := make([]result, len(jobs))
	var group errgroup.Group
	group.SetLimit(max(1, b.parallel))
	var printing sync.Mutex
	for i, j := range jobs {
		group.Go(func() error {
			one := b
			if b.parallel > 1 {
				one.stderr = &prefixed{to: b.stderr, mu: &printing, prefix: j.name + ": "}
			}
			results[i] = one.runJob(limited, j, fmt.Sprintf("%d of %d", i+1, len(jobs)), &printing, after)
			return one.note(results[i])
		})
	}
	err := group.Wait()
	code := exitPass
	for _, r := range results {
		if !r.asExpected() && r.Result != leftOut {
			code = exitFail
		}
	}
	if ctx.Err() != nil {
		code = exitInterrupted
	}
	return code, errors.Join(err, b.sumUp(results, time.Since(began)), b.save(results))
}

// runJob runs a lab, once more if it was not as expected and b.again says so,
// unless there is a reason not to run it.
func (b batch) runJob(ctx context.Context, j job, place string, printing *sync.Mutex, after func(job, report.Report) (string, error)) result {
	switch late := b.limits.late(); {
	case len(j.clusters) == 0:
		return result{Lab: j.name, Result: "skip", Note: "nothing of it runs on these clusters"}
	case len(j.missing) > 0:
		return result{Lab: j.name, Result: leftOut, Note: "not there: " + strings.Join(j.missing, ", ")}
	case late != "":
		return result{Lab: j.name, Result: leftOut, Note: strings.TrimSuffix(late+"; "+j.why, "; ")}
	case ctx.Err() != nil:
		return result{Lab: j.name, Result: "not run"}
	}
	fmt.Fprintf(b.stderr, "=== %s (%s)\n", j.name, place)
	r := b.runOne(ctx, j, printing, after)
	if !b.again || r.asExpected() || ctx.Err() != nil {
		return r
	}
	if late := b.limits.late(); late != "" {
		r.Note = strings.TrimPrefix(r.Note+"; not run once more: "+late, "; ")
		return r
	}
	fmt.Fprintf(b.stderr, "=== %s (%s), once more\n", j.name, place)
	first := r
	r = b.runOne(ctx, j, printing, after)
	r.First = &first
	return r
}

// note keeps that a lab was judged.
func (b batch) note(r result) error {
	if !r.judged() {
		return nil
	}
	return b.judged.add(r.Lab, judgement{At: time.Now().UTC().Truncate(time.Second), Commit: b.commit, Result: r.Result})
}

// prefixed writes whole lines, each with a prefix, one writer at a time.
type prefixed struct {
	to     io.Writer
	mu     *sync.Mutex
	prefix string
	rest   []byte
}

func (p *prefixed) Write(data []byte) (int, error) {
	p.rest = append(p.rest, data...)
	end := bytes.LastIndexByte(p.rest, '\n') + 1
	if end == 0 {
		return len(data), nil
	}
	var out bytes.Buffer
	for line := range bytes.Lines(p.rest[:end]) {
		out.WriteString(p.prefix)
		out.Write(line)
	}
	p.rest = append([]byte(nil), p.rest[end:]...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(data), nil
}

// runOne runs a lab and prints its report while nothing else is printed.
func (b batch) runOne(ctx context.Context, j job, printing *sync.Mutex, after func(job, report.Report) (string, error)) result {
	out := result{Lab: j.name}
	began := time.Now()
	r, err := b.start(ctx, j)
	out.Elapsed = time.Since(began)
	stopped := errors.Is(context.Cause(ctx), errTimeIsUp)
	switch {
	case r == nil && stopped:
		out.Result, out.Note = "stopped", b.limits.stopped()
		return out
	case r == nil:
		out.Result, out.Note = "error", err.Error()
		return out
	}
	c := report.Summary(*r)
	out.Result, out.Expectations = c.Status.String(), c.Expectations
	out.Run, out.Clusters, out.Skipped = r.ID, r.Clusters, r.Skipped
	var shown bytes.Buffer
	show := b.command("report", r.Folder)
	show.Stdout = &shown
	if err := show.Run(); err != nil {
		out.Note = fmt.Sprintf("its report could not be shown: %v", err)
	}
	printing.Lock()
	_, wrong := b.stdout.Write(shown.Bytes())
	printing.Unlock()
	switch {
	case wrong != nil:
		out.Result, out.Note = "error", wrong.Error()
	case r.Interrupted && stopped:
		out.Result, out.Note = "stopped", b.limits.stopped()
	case report.ExitCode(*r) == report.ExitPass && err != nil:
		out.Result, out.Note = "error", err.Error()
	case report.ExitCode(*r) == report.ExitPass && after != nil:
		if out.Note, err = after(j, *r); err != nil {
			out.Result, out.Note = "error", err.Error()
		}
	}
	return out
}

// outputDelay is how long what a lab started may hold on to its output once it
// has ended.
const outputDelay = 30 * time.Second

// start runs a lab and returns its report, nil if there was no run.
func (b batch) start(ctx context.Context, j job) (*report.Report, error) {
	var out bytes.Buffer
	cmd := b.command(b.arguments(j)...)
	cmd.Stdout = &out
	cmd.WaitDelay = outputDelay
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	defer close(ended)
	go b.limits.end(ctx, cmd.Process, ended)
	err := cmd.Wait()
	var r report.Report
	if out.Len() == 0 || json.Unmarshal(out.Bytes(), &r) != nil {
		return nil, fmt.Errorf("there was no run, exit code %d: see its messages above", cmd.ProcessState.ExitCode())
	}
	return &r, err
}

func (b batch) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.lab, args...)
	cmd.Stdout, cmd.Stderr = b.stdout, b.stderr
	return cmd
}

// sumUp prints what came of all labs.
func (b batch) sumUp(results []result, took time.Duration) error {
	fmt.Fprintln(b.stdout)
	table := tabwriter.NewWriter(b.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LAB\tRESULT\tAS EXPECTED\tNOT\tUNKNOWN\tSKIPPED\tTIME\tNOTES")
	passed, second := 0, 0
	var left []string
	for _, r := range results {
		if r.Result == leftOut {
			left = append(left, r.Lab)
		}
		if r.asExpected() {
			passed++
			if r.First != nil {
				second++
			}
		}
		e := r.Expectations
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", r.Lab, r.Result, e.Pass, e.Fail, e.Error+e.Pending, e.Skip, r.Elapsed.Round(time.Second), r.notes())
	}
	fmt.Fprintf(table, "\t\t\t\t\t\t%s\t\n", took.Round(time.Second))
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		for _, c := range r.Skipped {
			fmt.Fprintf(b.stdout, "%s: %s (%s) was left out: %s\n", r.Lab, c.Name, c.Kubernetes, c.Reason)
		}
	}
	text := fmt.Sprintf("%d of %d labs as expected", passed, len(results)-len(left))
	if second > 0 {
		text += fmt.Sprintf(", %d of them only when run once more", second)
	}
	text += "."
	if len(left) > 0 {
		text += fmt.Sprintf(" Left out, not judged: %s.", strings.Join(left, ", "))
	}
	_, err := fmt.Fprintln(b.stdout, text)
	return err
}

func (r result) notes() string {
	text := r.Note
	if r.First != nil {
		if text != "" {
			text += "; "
		}
		text += "run once more, at first: " + r.First.Result
		if r.First.Run != "" {
			text += ", " + r.First.Run
		}
	}
	if n := len(r.Skipped); n > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d left out", n)
	}
	return text
}

// save writes the results where they are wanted.
func (b batch) save(results []result) error {
	if b.summary == "" {
		return nil
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.summary, append(data, '\n'), 0o644)
}
