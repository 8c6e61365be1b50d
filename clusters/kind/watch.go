package kind

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// letGo is how long a command in a node may take to end by itself.
const letGo = 2 * time.Second

// failuresTold is how often the kubelet may end with the same error until that
// is believed: some, such as a runtime that restarts, pass.
const failuresTold = 5

// followKubelet follows the kubelet's journal once there is a line in it: what
// follows a journal that journald has not opened yet sees nothing, ever.
//
// It ends with its standard input, which takes no search for what is left in the
// node.
const followKubelet = `
exec 3<&0
until journalctl --unit=kubelet --quiet --no-pager --lines=1 </dev/null | grep -q .; do sleep 0.2; done
journalctl --unit=kubelet --follow --no-pager --output=cat --lines=all </dev/null & follow=$!
(cat <&3; kill "$follow") >/dev/null 2>&1 & guard=$!
wait "$follow"
kill "$guard" 2>/dev/null
`

// fatalError is a component that can never start: to wait for it is to wait in
// vain, and kubeadm does so for four minutes.
type fatalError struct {
	// component is "kubelet", "kube-apiserver" …; node where it is.
	component, node string
	// line is its last error.
	line string
}

func (e *fatalError) Error() string {
	return fmt.Sprintf("%s on %s does not start: %s", e.component, e.node, e.line)
}

// watch follows the kubelets until ctx ends, and gives up with a *fatalError
// for the first component that can never start. wait returns once nothing runs
// any more.
func (p *Provisioner) watch(ctx context.Context, c *creation, giveUp context.CancelCauseFunc) (wait func()) {
	var group sync.WaitGroup
	for _, node := range c.nodes {
		group.Go(func() {
			select {
			case <-c.log.booted:
			case <-ctx.Done():
			}
			if err := p.watchNode(ctx, node.Name); err != nil {
				giveUp(err)
			}
		})
	}
	return group.Wait
}

// watchNode follows a node's kubelet and returns what can never start, or nil
// when ctx ends.
func (p *Provisioner) watchNode(ctx context.Context, node string) error {
	const look = time.Second
	for ctx.Err() == nil {
		// It ends early where the node's journal does not run yet.
		if err := p.followNode(ctx, node); err != nil {
			return err
		}
		if clusters.Pause(ctx, look) != nil {
			break
		}
	}
	return nil
}

// followNode is watchNode until the journal ends.
func (p *Provisioner) followNode(ctx context.Context, node string) error {
	stdin, hold, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("following the kubelet of %s: %w", node, err)
	}
	defer stdin.Close()
	r, w := io.Pipe()
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.CloseWithError(p.NodeExec(following, node, stdin, w, nil, "sh", "-c", followKubelet))
	}()
	release := sync.OnceFunc(func() {
		_ = hold.Close() // ends what the node reads
		time.AfterFunc(letGo, stop)
	})
	defer context.AfterFunc(ctx, release)()
	judged := p.judge(ctx, node, r)
	release()
	_ = r.Close() // what is still written is not read
	<-ended
	return judged
}

// judge reads a kubelet's journal until it says that something can never
// start, which it returns, or ends.
func (p *Provisioner) judge(ctx context.Context, node string, journal io.Reader) error {
	told := map[string]int{}
	for line := range lines(journal) {
		if failure := commandFailed(line); failure != "" {
			told[failure]++
			if hopeless(failure) || told[failure] >= failuresTold {
				return &fatalError{component: "kubelet", node: node, line: failure}
			}
		}
		if component := crashed(line); component != "" {
			log, err := p.componentLog(ctx, node, component)
			if failure := lastFailure(log); err == nil && hopeless(failure) {
				return &fatalError{component: component, node: node, line: failure}
			}
		}
	}
	return nil
}

// componentLog is the beginning and the end of what a control plane's component
// wrote before it ended; the usage of a program can come after its error.
func (p *Provisioner) componentLog(ctx context.Context, node, component string) (string, error) {
	const newest = `f=$(ls -t /var/log/pods/kube-system_"$1"-*/"$1"/*.log 2>/dev/null | head -n 1); [ -n "$f" ] && { head -n 20 "$f"; tail -n 40 "$f"; }`
	var out bytes.Buffer
	err := p.NodeExec(ctx, node, nil, &out, nil, "sh", "-c", newest, "sh", component)
	return out.String(), err
}

// commandFailed is the error with which a Kubernetes component ended, where
// the line says so; not that of a kubelet that kubeadm has not configured yet.
func commandFailed(line string) string {
	found := regexp.MustCompile(`"command failed" err=("(?:[^"\\]|\\.)*")`).FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	text, err := strconv.Unquote(found[1])
	if err != nil {
		text = found[1]
	}
	if strings.Contains(text, "/var/lib/kubelet/config.yaml") && strings.Contains(text, "no such file") {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// crashed is the component of the control plane that the kubelet says it will
// start again after it failed.
func crashed(line string) string {
	found := regexp.MustCompile(`restarting failed container=(etcd|kube-apiserver|kube-controller-manager|kube-scheduler) pod=`).FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return found[1]
}

// lastFailure is the last error of a component's log, as the runtime writes
// it: time, stream and tag before each line.
func lastFailure(log string) string {
	last := ""
	for line := range strings.Lines(log) {
		text := regexp.MustCompile(`^\S+ (?:stdout|stderr) [FP] `).ReplaceAllString(strings.TrimSpace(line), "")
		if failure := commandFailed(text); failure != "" {
			last = failure
		} else if failure, is := strings.CutPrefix(text, "Error: "); is {
			last = failure
		}
	}
	return last
}

// hopeless says whether an error comes from the configuration, so that no
// restart can mend it.
func hopeless(failure string) bool {
	return regexp.MustCompile(`unrecognized feature gate|cannot set feature gate|unknown flag|unknown shorthand flag|invalid argument|` +
		`cgroup v1|unknown field|strict decoding error|failed to validate kubelet configuration|invalid configuration|` +
		`unknown api groups|invalid value`).MatchString(failure)
}
