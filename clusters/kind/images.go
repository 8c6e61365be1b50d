package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

// ensureNodeImages makes sure of the images that the nodes boot from, so that
// the library, which tries five times and cannot be stopped, has not to pull.
func (p *Provisioner) ensureNodeImages(ctx context.Context, c *creation) error {
	node, err := p.ensureImage(ctx, c.spec.Image, c.say)
	if err != nil {
		return fmt.Errorf("node image of Kubernetes %s: %w", c.spec.Version, err)
	}
	c.config.Networking.DisableDefaultCNI = bringsNetwork(c.spec, node)
	if c.spec.ControlPlanes > 1 {
		if _, err := p.ensureImage(ctx, clusters.LoadBalancerImage, c.say); err != nil {
			return fmt.Errorf("load balancer of %d control planes: %w", c.spec.ControlPlanes, err)
		}
	}
	return nil
}

// image is one that the engine has.
type image struct {
	id string
	// flannel says whether the label clusters.FlannelLabel is on it.
	flannel bool
}

// ensureImage returns the image once the engine has it.
func (p *Provisioner) ensureImage(ctx context.Context, ref string, say func(string)) (image, error) {
	found, missing := p.image(ctx, ref)
	if missing == nil {
		return found, nil
	}
	if ctx.Err() != nil {
		return image{}, missing
	}
	ensure := p.options.EnsureImage
	if ensure == nil {
		ensure = p.pull
	}
	if err := ensure(ctx, ref, say); err != nil {
		if ctx.Err() != nil {
			return image{}, fmt.Errorf("getting image %s: %w", ref, err)
		}
		return image{}, &noImageError{err}
	}
	found, missing = p.image(ctx, ref)
	if missing != nil {
		return image{}, fmt.Errorf("%w: %s was got, but %s does not have it: %w", ErrNoImage, ref, p.engine.Name, missing)
	}
	return found, nil
}

// imageFormat has the engine print an image's id and the names of its labels, a
// line each.
const imageFormat = "{{.Id}}{{range $name, $value := .Config.Labels}}\n{{$name}}{{end}}"

func (p *Provisioner) image(ctx context.Context, ref string) (image, error) {
	out, err := p.output(ctx, "image", "inspect", "--format", imageFormat, ref)
	if err != nil {
		return image{}, fmt.Errorf("looking for image %s: %w", ref, err)
	}
	id, labels, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return image{
		id:      "sha256:" + strings.TrimPrefix(id, "sha256:"),
		flannel: slices.Contains(strings.Split(labels, "\n"), clusters.FlannelLabel),
	}, nil
}

func (p *Provisioner) pull(ctx context.Context, ref string, say func(string)) error {
	say("pulling " + ref)
	if _, err := p.output(ctx, "pull", "--quiet", ref); err != nil {
		return fmt.Errorf("image %s is not available: %w", ref, err)
	}
	return nil
}

// LoadImages puts images on every node that has them not, nodes at the same
// time. An image that the engine has not is first asked of
// Options.EnsureImage. The error names the image, and wraps ErrNoImage where it
// is not available.
func (p *Provisioner) LoadImages(ctx context.Context, handle clusters.Handle, refs []string, progress func(string)) error {
	say := serial(progress)
	ids := map[string]string{}
	for _, ref := range refs {
		found, err := p.ensureImage(ctx, ref, say)
		if err != nil {
			return err
		}
		ids[ref] = found.id
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range handle.Nodes {
		group.Go(func() error { return p.loadNode(ctx, node.Name, ids, say) })
	}
	return group.Wait()
}

// loadNode loads those of the images that the node has not; ids are by
// reference.
func (p *Provisioner) loadNode(ctx context.Context, node string, ids map[string]string, say func(string)) error {
	missing, err := p.missing(ctx, node, ids)
	if err != nil || len(missing) == 0 {
		return err
	}
	say(fmt.Sprintf("loading %s into %s", strings.Join(missing, ", "), node))
	if err := p.transfer(ctx, node, missing); err != nil {
		return fmt.Errorf("loading %s into node %s: %w", strings.Join(missing, ", "), node, err)
	}
	left, err := p.missing(ctx, node, byName(missing))
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("%w: %s was loaded into node %s, which does not know it by that name: name it by a tag, not a digest",
			ErrNoImage, strings.Join(left, ", "), node)
	}
	return nil
}

// byName asks for the names alone, whatever the id.
func byName(refs []string) map[string]string {
	names := map[string]string{}
	for _, ref := range refs {
		names[ref] = ""
	}
	return names
}

// missing are those references, sorted, that the node does not know, or knows
// as another image than the id (where there is one).
func (p *Provisioner) missing(ctx context.Context, node string, ids map[string]string) ([]string, error) {
	var out bytes.Buffer
	if err := p.NodeExec(ctx, node, nil, &out, nil, "ctr", "--namespace=k8s.io", "images", "ls"); err != nil {
		return nil, fmt.Errorf("listing the images of node %s: %w", node, err)
	}
	digests := imageDigests(out.String())
	var missing []string
	for ref, id := range ids {
		digest, known := digests[fullName(ref)]
		same := id == "" || digest == id || digests[id] == digest
		if !known || !same {
			missing = append(missing, ref)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// imageDigests reads ctr's table: each image's digest by its name. The runtime
// also names every image by its id, as "sha256:…".
func imageDigests(table string) map[string]string {
	digests := map[string]string{}
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.HasPrefix(fields[2], "sha256:") {
			digests[fields[0]] = fields[2]
		}
	}
	return digests
}

// transfer streams the images from the engine into the node's runtime.
func (p *Provisioner) transfer(ctx context.Context, node string, refs []string) error {
	snapshotter, err := p.snapshotter(ctx, node)
	if err != nil {
		return err
	}
	load := []string{"ctr", "--namespace=k8s.io", "images", "import", "--digests", "--snapshotter=" + snapshotter}
	// An image of several platforms of which the engine has one cannot be
	// loaded whole; one whose platform is not named only whole.
	err = p.pipe(ctx, refs, node, append(load, "--all-platforms", "-"))
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "not found") {
		err = p.pipe(ctx, refs, node, append(load, "-"))
	}
	return err
}

func (p *Provisioner) pipe(ctx context.Context, refs []string, node string, load []string) error {
	group, ctx := errgroup.WithContext(ctx)
	r, w := io.Pipe()
	group.Go(func() error {
		err := p.run(ctx, nil, w, append([]string{"save"}, refs...)...)
		return errors.Join(err, w.CloseWithError(err))
	})
	group.Go(func() error {
		err := p.NodeExec(ctx, node, r, nil, nil, load...)
		return errors.Join(err, r.CloseWithError(err))
	})
	return group.Wait()
}

// snapshotter is where the node's runtime unpacks images: containerd's own
// default is not always what kind configured.
func (p *Provisioner) snapshotter(ctx context.Context, node string) (string, error) {
	var out bytes.Buffer
	if err := p.NodeExec(ctx, node, nil, &out, nil, "containerd", "config", "dump"); err != nil {
		return "", fmt.Errorf("reading the runtime's configuration of node %s: %w", node, err)
	}
	return parseSnapshotter(out.String()), nil
}

// parseSnapshotter reads it from containerd's configuration, of version 2, 3
// or 4, where the first that is set is the one of the pods' images.
func parseSnapshotter(config string) string {
	found := regexp.MustCompile(`(?m)^\s*snapshotter\s*=\s*["']([^"']+)["']`).FindStringSubmatch(config)
	if found == nil {
		return "overlayfs"
	}
	return found[1]
}

// fullName is a reference as the runtime knows it: with registry, path and
// tag.
func fullName(ref string) string {
	first, _, slash := strings.Cut(ref, "/")
	switch {
	case !slash:
		ref = "docker.io/library/" + ref
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		ref = "docker.io/" + ref
	}
	if !strings.Contains(ref, "@") && strings.LastIndex(ref, ":") < strings.LastIndex(ref, "/") {
		ref += ":latest"
	}
	return ref
}
