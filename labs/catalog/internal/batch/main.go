// Command batch does something with all labs of the catalog, from the root of
// the project: run runs them, each as a `lab run` of its own on the clusters of
// the pool; record does so and keeps what was recorded, for
// replay; matrix writes what the recordings say into labs/README.md.
//
//	batch [FLAGS] run|record|matrix [LAB]...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/catalog/internal/matrix"
)

// The exit codes, as those of lab.
const (
	exitPass        = 0
	exitFail        = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// batch is one invocation.
type batch struct {
	// lab is the program, and root the catalog's folder, relative to the
	// current one: no path of this machine gets into a recording.
	lab, root string
	clusters  string
	summary   string
	// concurrency is how many clusters are in use at once; 0 for all.
	concurrency int
	// parallel is how many labs are run at once.
	parallel int
	// skip leaves out what is not available.
	skip bool
	// again runs a lab that did not come out as expected a second time.
	again bool
	// order is orderGiven or orderNeed.
	order string
	// judged is where the last judgement of each lab is kept.
	judged history
	// commit is the one that is checked out; empty if that is unknown.
	commit string
	// needs are the images without which a lab is left out.
	needs needs
	limits
	stdout, stderr io.Writer
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	b := batch{stdout: stdout, stderr: stderr, needs: needs{}}
	flags := flag.NewFlagSet("batch", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&b.lab, "lab", filepath.Join("bin", "lab"), "the program")
	flags.StringVar(&b.root, "catalog", filepath.Join("labs", "catalog"), "the catalog's folder")
	flags.StringVar(&b.clusters, "cluster", "", "only these clusters of the labs, with commas between them")
	flags.IntVar(&b.concurrency, "concurrency", 0, "how many clusters may be in use at once; 0 for all of a lab")
	flags.IntVar(&b.parallel, "parallel", 1, "how many labs are run at once")
	flags.BoolVar(&b.skip, "skip-unavailable", false, "leave out clusters whose Kubernetes version is not available here")
	flags.BoolVar(&b.again, "again", false, "run a lab that did not come out as expected once more, and say so; what comes of that counts")
	flags.StringVar(&b.summary, "o", "", "also write what came of it, with how long everything took, to this file, as JSON")
	flags.StringVar(&b.order, "order", orderGiven, "the order of the labs: given, or need: those that changed first, then those that failed the last time, then those not judged for longest")
	flags.StringVar(&b.judged.path, "judged", "", "the file that keeps when each lab was last judged, and the result; a missing file says that none was")
	flags.Var(b.needs, "needs", "LAB=IMAGE: leave out the lab if the container engine does not have the image; repeatable, or with commas between them")
	b.limits.define(flags)
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	code, err := b.do(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "batch:", err)
		if code == exitPass {
			code = exitFail
		}
	}
	return code
}

func (b batch) do(args []string) (int, error) {
	if len(args) == 0 {
		return exitUsage, errors.New("want run, record or matrix, and then the labs, or none for all")
	}
	all, err := catalog.Names()
	if err != nil {
		return exitFail, err
	}
	labs := args[1:]
	if len(labs) == 0 {
		labs = all
	}
	if b.order != orderGiven && b.order != orderNeed {
		return exitUsage, fmt.Errorf("-order %s is neither %s nor %s", b.order, orderGiven, orderNeed)
	}
	jobs, err := b.choose(labs, all)
	if err != nil {
		return exitUsage, err
	}
	ctx, stop := interruptible()
	defer stop()
	switch args[0] {
	case "run":
		if err := b.arrange(jobs); err != nil {
			return exitFail, err
		}
		return b.runAll(ctx, jobs, nil)
	case "record":
		return b.runAll(ctx, jobs, b.record)
	case "matrix":
		return exitPass, b.matrix()
	}
	return exitUsage, fmt.Errorf("%q is none of run, record and matrix", args[0])
}

// errTerminated is the cause of an end that this process alone was asked for.
var errTerminated = errors.New("terminated")

// interruptible is a context that the first signal ends.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range caught {
			if s == syscall.SIGTERM {
				cancel(errTerminated)
			}
			cancel(context.Canceled)
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		close(caught)
		cancel(context.Canceled)
	}
}

// job is a lab to run, and the clusters to run it on.
type job struct {
	name     string
	clusters []string
	// why is the reason for its place in the order, if there is one.
	why string
	// missing are the images that it needs and that are not there.
	missing []string
}

// choose says on which clusters each lab is to be run. A cluster on which none
// of the labs has a scenario is an error.
func (b batch) choose(labs, all []string) ([]job, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(b.clusters, ",") {
		if name = strings.TrimSpace(name); name != "" {
			wanted[name] = false
		}
	}
	restricted := len(wanted) > 0
	var jobs []job
	for _, name := range labs {
		m, err := matrix.Module(name)
		if err != nil {
			return nil, fmt.Errorf("%w; the catalog has %s", err, strings.Join(all, ", "))
		}
		j := job{name: name}
		for _, cluster := range matrix.Used(m) {
			if _, ok := wanted[cluster]; ok || !restricted {
				wanted[cluster] = true
				j.clusters = append(j.clusters, cluster)
			}
		}
		jobs = append(jobs, j)
	}
	for name, used := range wanted {
		if !used {
			return nil, fmt.Errorf("none of the labs has a scenario on a cluster %q", name)
		}
	}
	return jobs, nil
}

// arguments are those of lab for a job.
func (b batch) arguments(j job) []string {
	args := []string{"run", "--json", "--no-logs", "--cluster", strings.Join(j.clusters, ","), "--concurrency", strconv.Itoa(b.concurrency)}
	if b.skip {
		args = append(args, "--skip-unavailable")
	}
	return append(args, filepath.Join(b.root, j.name))
}

// arrange sorts the jobs as -order says, and notes what they miss.
func (b *batch) arrange(jobs []job) error {
	missing, err := b.missing()
	if err != nil {
		return err
	}
	for i, j := range jobs {
		jobs[i].missing = missing[j.name]
	}
	changes := findChanges(b.root)
	b.commit = changes.head()
	if b.order != orderNeed {
		return nil
	}
	judged, err := b.judged.read()
	if err != nil {
		return err
	}
	if err := byNeed(jobs, judged, changes.touched, time.Now()); err != nil {
		return err
	}
	if changes.base == "" {
		fmt.Fprintln(b.stdout, "There is no earlier commit to compare with: what changed is known only of labs that were judged at a commit.")
	}
	fmt.Fprintln(b.stdout, "The labs by need:")
	for i, j := range jobs {
		fmt.Fprintf(b.stdout, "%3d. %s: %s\n", i+1, j.name, j.why)
	}
	return nil
}

// matrix writes what the recordings say.
func (b batch) matrix() error {
	labs, err := matrix.Read(b.root)
	if err != nil {
		return err
	}
	name := filepath.Join(b.root, "..", "README.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	filled, err := matrix.Fill(string(text), matrix.Markdown(labs))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if filled == string(text) {
		fmt.Fprintln(b.stdout, name, "is up to date")
		return nil
	}
	fmt.Fprintln(b.stdout, "writing", name)
	return os.WriteFile(name, []byte(filled), 0o644)
}
