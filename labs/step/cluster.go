package step

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Cluster is what a verb is given of the cluster that it acts on.
type Cluster struct {
	// Client reaches the API server, and Nodes the machines of the nodes.
	Client *Client
	Nodes  clusters.Nodes
	// Handle has the names of the nodes, and where the kubeconfig is.
	Handle clusters.Handle
}

// NodeNames are the names of the nodes.
func (c Cluster) NodeNames() []string {
	var names []string
	for _, n := range c.Handle.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// Client reaches a cluster's API server. It may be used by several goroutines.
type Client struct {
	// Objects finds objects of any kind by what people call them.
	Objects *objects.Client
	// Kubernetes is the typed client.
	Kubernetes kubernetes.Interface
	// Stream runs a command in a container to its end, as kubectl exec does.
	Stream func(context.Context, Command) error
	// Answers returns once the API server says that it is ready.
	Answers func(context.Context) error
}

// Command is a command in a container.
type Command struct {
	Namespace, Pod, Container string
	Args                      []string
	// Stdin is nil for no input.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Connect returns the client of the cluster of config.
func Connect(config *rest.Config) (*Client, error) {
	found, err := objects.New(config)
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return &Client{
		Objects: found, Kubernetes: typed,
		Stream:  func(ctx context.Context, c Command) error { return stream(ctx, config, typed, c) },
		Answers: func(ctx context.Context) error { return answers(ctx, typed) },
	}, nil
}

// stream runs a command through the API server, by WebSocket or, where that is
// not understood, SPDY.
func stream(ctx context.Context, config *rest.Config, client kubernetes.Interface, c Command) error {
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(c.Namespace).Name(c.Pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: c.Container, Command: c.Args, Stdin: c.Stdin != nil, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec).URL()
	spdy, err := remotecommand.NewSPDYExecutor(config, "POST", url)
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	websocket, err := remotecommand.NewWebSocketExecutor(config, "GET", url.String())
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	both, err := remotecommand.NewFallbackExecutor(websocket, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	return both.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr})
}

const (
	// again is how long to wait before the API server is asked again, and
	// answer how long it may take to answer.
	again  = 250 * time.Millisecond
	answer = 5 * time.Second
)

// answers asks the API server until it says that it is ready.
func answers(ctx context.Context, client kubernetes.Interface) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, again, true, func(ctx context.Context) (bool, error) {
		asking, done := context.WithTimeout(ctx, answer)
		defer done()
		if err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(asking).Error(); err != nil {
			if ctx.Err() == nil || last == nil {
				last = err
			}
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until the API server answers: %w (the last attempt: %w)", ctx.Err(), last)
	}
	return nil
}
