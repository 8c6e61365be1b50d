package kind

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

// LoadArchive puts the images of an archive on every node, nodes at the same
// time: a tar file as `docker save` writes it, compressed by gzip or not.
func (p *Provisioner) LoadArchive(ctx context.Context, handle clusters.Handle, path string, progress func(string)) error {
	say := serial(progress)
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range handle.Nodes {
		group.Go(func() error {
			say(fmt.Sprintf("loading %s into %s", path, node.Name))
			if err := p.importArchive(ctx, node.Name, path); err != nil {
				return fmt.Errorf("loading the archive %s into node %s: %w", path, node.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// importArchive also loads an archive of images of several platforms that has
// the node's alone.
func (p *Provisioner) importArchive(ctx context.Context, node, path string) error {
	snapshotter, err := p.snapshotter(ctx, node)
	if err != nil {
		return err
	}
	load := []string{"ctr", "--namespace=k8s.io", "images", "import", "--digests", "--snapshotter=" + snapshotter}
	err = p.feed(ctx, node, path, append(load, "--all-platforms", "-"))
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "not found") {
		err = p.feed(ctx, node, path, append(load, "-"))
	}
	return err
}

func (p *Provisioner) feed(ctx context.Context, node, path string, load []string) error {
	archive, err := os.Open(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	return p.NodeExec(ctx, node, archive, nil, nil, load...)
}
