package engine

import (
	"context"
	"io"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// DefaultRegistryImage is what the doctor asks the registry for: a few kB,
// and from the registry that has the node images.
const DefaultRegistryImage = "docker.io/library/hello-world:latest"

// registryTimeout bounds the wait for the registry on a real machine.
const registryTimeout = 8 * time.Second

// askRegistry lets the engine itself pull an image: its way out may be another
// than this program's.
func askRegistry(ctx context.Context, e clusters.Engine, image string, patience time.Duration) Finding {
	f := Finding{ID: FindingRegistry, Title: "image registry", Status: StatusOK}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := e.Output(limited, "image", "inspect", image)
	isOurs := err != nil
	if err := e.Run(limited, nil, io.Discard, "pull", image); err != nil {
		f.Status, f.Detail = StatusWarn, image+": "+printable(said(err).Error())
		if limited.Err() != nil && ctx.Err() == nil {
			f.Detail = image + ": no answer within " + patience.String()
		}
		f.Cause, f.Remedy = explain(registryFailures(), f.Detail)
		return f
	}
	f.Detail = "answers: " + image + " can be pulled"
	if isOurs {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
		defer cancel()
		if err := e.Run(clean, nil, io.Discard, "rmi", image); err != nil {
			f.Detail += "; it could not be removed again: " + said(err).Error()
		}
	}
	return f
}
