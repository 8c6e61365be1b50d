package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	// lookups is of how many containers a node is asked at a time; each takes it
	// some 50 ms.
	lookups = 16
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
	id       string
	done     chan struct{}
	identity *identity
	err      error
}

func known(id *identity) *lookup {
	l := &lookup{done: make(chan struct{}), identity: id}
	close(l.done)
	return l
}

// errNotFound is a container that was removed before it was asked for.
var errNotFound = errors.New("containerd does not know it any more")

// infoScript prints what containerd knows of the containers that are its
// arguments, and nothing of those that it does not know.
const infoScript = `for id; do
  if ! said=$(ctr -n k8s.io containers info "$id" 2>&1 >&3); then
    case $said in *"not found"*) ;; *) echo "$said" >&2; code=1;; esac
  fi
done 3>&1
exit "${code:-0}"`

// lookUp asks the node for a container's labels, unless that is known or was asked
// before.
func (n *node) lookUp(ctx context.Context, id string) *lookup {
	if l, has := n.lookups[id]; has {
		return l
	}
	n.learn()
	if l, has := n.lookups[id]; has {
		return l
	}
	l := &lookup{id: id, done: make(chan struct{})}
	n.lookups[id] = l
	n.unnamed.add(&n.group, l, lookups, func(batch []*lookup) { n.askIdentities(ctx, batch) })
	return l
}

// askIdentities asks until all are answered, as often as Options.Retry says.
func (n *node) askIdentities(ctx context.Context, open []*lookup) {
	backoff := n.c.options.Retry
	for attempt := 1; ; attempt++ {
		found, err := n.identities(ctx, open)
		last := err == nil || ctx.Err() != nil || attempt >= n.c.options.Retry.Steps
		if err == nil {
			err = errNotFound
		}
		open = slices.DeleteFunc(open, func(l *lookup) bool {
			id, has := found[l.id]
			if has {
				l.identity = id
			} else if last {
				l.err = err
			}
			if has || last {
				close(l.done)
			}
			return has || last
		})
		if len(open) == 0 {
			return
		}
		retry.Pause(ctx, &backoff)
	}
}

// identities are those of the containers that the node knows. With an error they
// are what it could say.
func (n *node) identities(ctx context.Context, of []*lookup) (map[string]*identity, error) {
	cmd := []string{"sh", "-c", infoScript, "sh"}
	for _, l := range of {
		cmd = append(cmd, l.id)
	}
	out, err := n.output(ctx, fmt.Sprintf("asking ctr about %d containers", len(of)), cmd...)
	found := map[string]*identity{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var info struct {
			ID     string
			Labels map[string]string
		}
		readErr := decoder.Decode(&info)
		if errors.Is(readErr, io.EOF) {
			return found, err
		}
		if readErr != nil {
			return found, errors.Join(err, fmt.Errorf("reading what ctr says about a container: %w", readErr))
		}
		found[info.ID] = identify(info.Labels)
	}
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
