package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	// clusterLabel is how the library marks the containers of a cluster.
	clusterLabel = "io.x-k8s.kind.cluster"
	// roleLabel is how it marks what a container is for.
	roleLabel = "io.x-k8s.kind.role"
	// hangUp is how long a client that has ended may hold on to its pipes, or
	// what it wrote may take to be taken.
	hangUp = 30 * time.Second
	// keptOutput bounds what is kept of a command's standard error, in bytes.
	keptOutput = 16 << 10
)

// run runs the engine's command line. A Ctrl-C at the terminal does not reach
// it, the end of ctx does. A failure is a *clusters.CommandError that wraps the
// context's error where that was the reason.
func (p *Provisioner) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	return p.stream(ctx, stdin, stdout, nil, args...)
}

// output is run for a command whose output is wanted as a whole.
func (p *Provisioner) output(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := p.run(ctx, nil, &out, args...)
	return out.Bytes(), err
}

// stream is run with standard error passed on as it comes.
func (p *Provisioner) stream(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args ...string) error {
	cmd := p.engine.Command(ctx, args...)
	detach(cmd)
	cmd.WaitDelay = hangUp
	said := &tail{limit: keptOutput}
	cmd.Stdout, cmd.Stderr = stdout, io.Writer(said)
	if stderr != nil {
		cmd.Stderr = io.MultiWriter(said, stderr)
	}
	if err := runFed(cmd, stdin); err != nil {
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
		return clusters.NewCommandError(cmd, said.String(), err)
	}
	return nil
}

// runFed runs the command with an input that it need not read to its end: it
// is not waited for, as a terminal's never comes.
func runFed(cmd *exec.Cmd, stdin io.Reader) error {
	if _, file := stdin.(*os.File); file || stdin == nil {
		cmd.Stdin = stdin
		return cmd.Run()
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fed := make(chan error, 1)
	go func() {
		_, err := io.Copy(pipe, stdin)
		fed <- errors.Join(err, pipe.Close())
	}()
	if err := cmd.Wait(); err != nil {
		return err
	}
	select {
	case err := <-fed:
		if err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EPIPE) {
			return fmt.Errorf("reading the input: %w", err)
		}
	default:
	}
	return nil
}

// tail keeps the last bytes of what is written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	kept  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// container is what the engine says of one; docker, podman and nerdctl agree
// in these fields.
type container struct {
	ID      string `json:"Id"`
	Name    string
	Image   string
	Created time.Time
	State   struct {
		Status   string
		Running  bool
		ExitCode int
		Error    string
	}
	Config struct{ Labels map[string]string }
	Mounts []struct{ Type, Name string }
}

// containers are those with the label, of any state, oldest first. One that the
// engine is just removing has its ID alone.
func (p *Provisioner) containers(ctx context.Context, label string) ([]container, error) {
	out, err := p.output(ctx, "ps", "--all", "--quiet", "--no-trunc", "--filter", "label="+label)
	if err != nil {
		return nil, fmt.Errorf("listing containers: %w", err)
	}
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return nil, nil
	}
	out, err = p.output(ctx, append([]string{"container", "inspect"}, ids...)...)
	if err != nil && !onlyGone(err) {
		return nil, fmt.Errorf("looking at containers: %w", err)
	}
	list, err := parseContainers(out)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(c container) bool { return c.ID == id }) {
			list = append(list, container{ID: id})
		}
	}
	return list, nil
}

// onlyGone says whether a look at containers failed for nothing else than that
// some are no longer there; what it found of the others is written all the same.
func onlyGone(err error) bool {
	var failed *clusters.CommandError
	if !errors.As(err, &failed) || failed.Output == "" {
		return false
	}
	for line := range strings.Lines(failed.Output) {
		if !strings.Contains(strings.ToLower(line), "no such container") {
			return false
		}
	}
	return true
}

func parseContainers(out []byte) ([]container, error) {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	var list []container
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("reading the engine's description of containers: %w", err)
	}
	for i := range list {
		list[i].Name = strings.TrimPrefix(list[i].Name, "/")
	}
	return list, nil
}

// client checks that the library will run the same client as this package: it
// takes the one on the PATH.
func (p *Provisioner) client() error {
	found, err := exec.LookPath(p.engine.Name)
	if err != nil {
		return fmt.Errorf("finding the engine's client: %w: install it or bring it up with lab engine up", err)
	}
	if p.engine.Path == "" || p.engine.Path == found {
		return nil
	}
	return fmt.Errorf("the engine's client is %s, but kind runs the %q of the PATH, which is %s: put the directory first in PATH",
		p.engine.Path, p.engine.Name, found)
}
