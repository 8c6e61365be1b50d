package podimage

import (
	"context"
	"errors"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
)

// Ensure makes the engine have an image of a scenario's pods: it is there,
// or it is pulled, or it is built where that is known here: busybox of the
// version that this machine's Debian has, and what stands in for the load
// balancer of several control planes.
//
// If it is not available, the error is an ErrNoImage, which names the image and
// says what the registry answered.
func (p *Provider) Ensure(ctx context.Context, ref string, progress build.Progress) error {
	pullErr := p.puller.Have(ctx, ref, progress)
	var failed *images.PullError
	if !errors.As(pullErr, &failed) {
		return pullErr
	}
	var err error
	if tag, ok := busyboxTag(ref); ok {
		err = p.buildBusybox(ctx, ref, tag, progress)
	} else if isLoadBalancer(ref) {
		err = p.buildLoadBalancer(ctx, ref, progress)
	} else {
		return &images.NoImageError{Image: ref, Registry: failed.Why, Build: "how to make it is not known here"}
	}
	if errors.Is(err, errNotThisBusybox) || errors.Is(err, build.ErrCannotBuild) {
		return &images.NoImageError{Image: ref, Registry: failed.Why, Build: err.Error()}
	}
	return err
}
