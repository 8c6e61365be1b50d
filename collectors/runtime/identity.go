package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// Labels that the kubelet and containerd's CRI plugin give to containers.
const (
	labelNamespace = "io.kubernetes.pod.namespace"
	labelPod       = "io.kubernetes.pod.name"
	labelUID       = "io.kubernetes.pod.uid"
	labelContainer = "io.kubernetes.container.name"
	labelKind      = "io.cri-containerd.kind"
)

const (
	// execFor bounds one short command in a node.
	execFor = 20 * time.Second
	// maxOutput bounds what one short command may print.
	maxOutput = 64 << 20
	// lookups is how many containers of a node are looked up at once.
	lookups = 4
)

// identity says whose a container is.
type identity struct {
	pod       collectors.Object
	container string
}

// identify reads a container's labels. It is nil for what is no container of
// a pod: a pod's sandbox.
func identify(labels map[string]string) *identity {
	if kind := labels[labelKind]; kind != "" && kind != "container" {
		return nil
	}
	if labels[labelPod] == "" || labels[labelContainer] == "" {
		return nil
	}
	return &identity{
		pod: collectors.Object{
			Kind: "Pod", Namespace: labels[labelNamespace], Name: labels[labelPod], UID: labels[labelUID],
		},
		container: labels[labelContainer],
	}
}

// wanted says whether containers of a namespace are recorded.
func (c *Collector) wanted(id *identity) bool {
	return id != nil && (len(c.options.Namespaces) == 0 || slices.Contains(c.options.Namespaces, id.pod.Namespace))
}

// lookup is a question for a container's identity; done is closed when it is
// answered.
type lookup struct {
	done     chan struct{}
	identity *identity
	err      error
}

func known(id *identity) *lookup {
	l := &lookup{done: make(chan struct{}), identity: id}
	close(l.done)
	return l
}

// errNotFound is a container that containerd does not know.
var errNotFound = errors.New("the container is gone")

// lookUp asks the node for a container's labels, unless it was asked before.
func (n *node) lookUp(ctx context.Context, id string) *lookup {
	n.learn()
	if l, has := n.lookups[id]; has {
		return l
	}
	l := &lookup{done: make(chan struct{})}
	n.lookups[id] = l
	n.group.Go(func() {
		defer close(l.done)
		select {
		case n.slots <- struct{}{}:
			defer func() { <-n.slots }()
		case <-ctx.Done():
			l.err = ctx.Err()
			return
		}
		l.identity, l.err = n.askIdentity(ctx, id)
	})
	return l
}

// askIdentity asks until there is an answer, as often as Options.Retry says.
func (n *node) askIdentity(ctx context.Context, id string) (*identity, error) {
	backoff := n.c.options.Retry
	for attempt := 1; ; attempt++ {
		labels, err := n.labels(ctx, id)
		if err == nil {
			return identify(labels), nil
		}
		if errors.Is(err, errNotFound) || ctx.Err() != nil || attempt >= n.c.options.Retry.Steps {
			return nil, err
		}
		retry.Pause(ctx, &backoff)
	}
}

func (n *node) labels(ctx context.Context, id string) (map[string]string, error) {
	out, err := n.output(ctx, "asking ctr about container "+id, "ctr", "-n", criNamespace, "containers", "info", id)
	if err != nil {
		if strings.Contains(err.Error(), "not found") {
			return nil, fmt.Errorf("%w: %w", errNotFound, err)
		}
		return nil, err
	}
	var info struct{ Labels map[string]string }
	if err := json.Unmarshal(out, &info); err != nil {
		return nil, fmt.Errorf("reading what ctr says about container %s: %w", id, err)
	}
	return info.Labels, nil
}

// output runs a short command in the node. Its error says what was being done
// and what the command said.
func (n *node) output(ctx context.Context, doing string, cmd ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, execFor)
	defer cancel()
	var stdout limited
	var stderr tail
	err := n.c.exec.NodeExec(ctx, n.name, nil, &stdout, &stderr, cmd...)
	if err != nil {
		return stdout.Bytes(), fmt.Errorf("%s: %w", doing, spoken{err: err, said: stderr.String()})
	}
	return stdout.Bytes(), nil
}

// limited is a buffer that refuses more than maxOutput.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("the command printed more than %d MiB: %w", maxOutput>>20, io.ErrShortBuffer)
	}
	return l.Buffer.Write(p)
}
