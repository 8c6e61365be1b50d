package kind

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
)

// speedUp takes the waiting out of a cluster's start, as soon as kubeadm has begun
// it: see dnsPods.speedUp and givesPodCIDRs. The error is nil where ctx ends first.
func (p *Provisioner) speedUp(ctx context.Context, c *creation) error {
	select {
	case <-c.log.booted:
	case <-ctx.Done():
		return nil
	}
	err := p.speedUpAs(ctx, c)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *Provisioner) speedUpAs(ctx context.Context, c *creation) error {
	admin, err := p.admin(ctx, c)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	var network error
	var beside sync.WaitGroup
	if c.config.Networking.DisableDefaultCNI {
		objects, err := dynamic.NewForConfig(admin)
		if err != nil {
			return err
		}
		beside.Go(func() {
			if network = p.bringNetwork(ctx, c, objects); network != nil {
				network = fmt.Errorf("making the pod network: %w", network)
			}
		})
	}
	placing, placed := context.WithCancel(ctx)
	var proxy sync.WaitGroup
	proxy.Go(func() { placeProxy(placing, client, c.nodes[0].Name) })
	err = speedUpWith(ctx, c, client, func(ctx context.Context) { p.awaitProxy(ctx, c.nodes[0].Name) })
	beside.Wait()
	placed()
	proxy.Wait()
	return errors.Join(err, network)
}

// speedUpWith gives the nodes their podCIDRs once the pods of CoreDNS are pending:
// a node that has one is soon ready, and then they have nodes.
func speedUpWith(ctx context.Context, c *creation, client kubernetes.Interface, proxy func(context.Context)) error {
	pending := make(chan struct{})
	var network error
	var beside sync.WaitGroup
	if givesPodCIDRs(c.spec) {
		beside.Go(func() {
			<-pending // which is closed when speedUp returns, at the latest
			if network = givePodCIDRs(ctx, client, c.nodes); network != nil {
				network = fmt.Errorf("giving the nodes their podCIDRs: %w", network)
			}
		})
	}
	once := sync.OnceFunc(func() { close(pending) })
	err := dnsPods{client: client, look: soon, proxy: proxy}.speedUp(ctx, once)
	if err != nil {
		err = fmt.Errorf("having CoreDNS asked sooner whether it is ready: %w", err)
	}
	once()
	beside.Wait()
	return errors.Join(err, network)
}

// hasAdmin waits until kubeadm has written its administrator's kubeconfig.
const hasAdmin = `until [ -s /etc/kubernetes/admin.conf ]; do sleep 0.2; done`

// admin is how to reach the API server of a cluster on its way, for which there
// is no kubeconfig yet, once that can be known.
func (p *Provisioner) admin(ctx context.Context, c *creation) (*rest.Config, error) {
	for {
		cfg, err := p.adminOnce(ctx, c)
		if err == nil {
			return cfg, nil
		}
		if clusters.Pause(ctx, again) != nil {
			return nil, err
		}
	}
}

// adminOnce fails where kubeadm is just writing the administrator's kubeconfig.
func (p *Provisioner) adminOnce(ctx context.Context, c *creation) (*rest.Config, error) {
	if err := p.NodeExec(ctx, c.nodes[0].Name, nil, nil, nil, "sh", "-c", hasAdmin); err != nil {
		return nil, err
	}
	provider, err := p.provider(c.log)
	if err != nil {
		return nil, err
	}
	text, err := provider.KubeConfig(c.id, false)
	if err != nil {
		return nil, fmt.Errorf("reading the administrator's kubeconfig: %w", err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("reading the administrator's kubeconfig: %w", err)
	}
	// Every wait here is by asking again; there is nothing else to hold back.
	cfg.UserAgent, cfg.Timeout, cfg.QPS = "lab", answerLimit, -1
	return cfg, nil
}
