package nodeimage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	// builtLabel is on everything that is built here; it holds the key of what
	// it was built from.
	builtLabel = "lab.nodeimage"
	// versionLabel begins the labels that say which version of what is inside.
	versionLabel = "lab.nodeimage.version."
	// stagesLabel names the parts in the cache that a node image is made of, and
	// baseLabel the base image that it is layered on.
	stagesLabel = "lab.nodeimage.stages"
	baseLabel   = "lab.nodeimage.base"
	// baseRepository holds the images that node images are layered on.
	baseRepository = "lab-node-base"
)

// engine is what is asked of the container engine.
type engine struct {
	cli clusters.Engine
}

// engineImage is what the engine says of an image.
type engineImage struct {
	ID       string `json:"Id"`
	Created  string
	Size     int64
	Config   struct{ Labels map[string]string }
	Metadata struct{ LastTagTime string }
}

// created is when the image was built, or where it does not say, when it was
// named; zero where the engine does not know either.
func (i engineImage) created() time.Time {
	for _, text := range []string{i.Created, i.Metadata.LastTagTime} {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.Unix() > 0 {
			return t
		}
	}
	return time.Time{}
}

// run runs the engine's command line; its standard output comes back, also
// where it failed.
func (e engine) run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd := e.cli.Command(ctx, args...)
	out, err := child{stdin: stdin}.output(ctx, cmd.Path, args...)
	return strings.TrimSpace(string(out)), err
}

// has says whether the engine has an image, by tag or digest.
func (e engine) has(ctx context.Context, ref string) (bool, error) {
	images, err := e.inspect(ctx, ref)
	return len(images) > 0, err
}

// inspect describes images; those that are not there are left out.
func (e engine) inspect(ctx context.Context, refs ...string) ([]engineImage, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	out, err := e.run(ctx, nil, append([]string{"image", "inspect"}, refs...)...)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking the engine for images: %w", err)
	}
	var images []engineImage
	if out == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(out), &images); err != nil {
		return nil, fmt.Errorf("reading what the engine says of images: %w", err)
	}
	return images, nil
}

// missing says whether an engine's message says that an image or container is
// not there: docker's, podman's and nerdctl's words.
func missing(message string) bool {
	message = strings.ToLower(message)
	for _, words := range []string{"no such image", "no such object", "image not known", "no such container"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// tags are the names under which the engine has images of a repository.
func (e engine) tags(ctx context.Context, repository string) ([]string, error) {
	out, err := e.run(ctx, nil, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference="+repository)
	if err != nil {
		return nil, fmt.Errorf("listing the engine's images: %w", err)
	}
	var tags []string
	for _, line := range outputLines([]byte(out)) {
		if !strings.Contains(line, "<none>") {
			tags = append(tags, line)
		}
	}
	return tags, nil
}

// nodeVersions are the versions of which the engine has a node image, with
// its name.
func (e engine) nodeVersions(ctx context.Context, repository string) (map[clusters.Version]string, error) {
	tags, err := e.tags(ctx, repository)
	if err != nil {
		return nil, err
	}
	found := map[clusters.Version]string{}
	for _, ref := range tags {
		name, err := splitImage(ref)
		if err != nil {
			continue
		}
		if v, err := clusters.ParseVersion(name.tag); err == nil {
			found[v] = ref
		}
	}
	return found, nil
}

// load reads images from an archive.
func (e engine) load(ctx context.Context, archive io.Reader) error {
	if _, err := e.run(ctx, archive, "image", "load"); err != nil {
		return fmt.Errorf("loading an image into the engine: %w", err)
	}
	return nil
}

// dataDir is where on this machine the engine keeps its images, or empty where
// that is not known.
func (e engine) dataDir(ctx context.Context) string {
	dir, err := e.run(ctx, nil, "info", "--format", "{{.DockerRootDir}}")
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	if _, err := os.Stat(dir); err != nil {
		return "" // it may be on another machine
	}
	return dir
}

// sweep removes the containers that interrupted builds have left, whose names
// begin with prefix. The build lock must be held.
func (e engine) sweep(ctx context.Context, prefix string) error {
	out, err := e.run(ctx, nil, "ps", "--all", "--quiet", "--filter", "name=^/?"+prefix)
	if err != nil {
		return fmt.Errorf("looking for what an interrupted build has left: %w", err)
	}
	for _, id := range strings.Fields(out) {
		if err := e.remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// remove ends a container and removes it with its volumes.
func (e engine) remove(ctx context.Context, container string) error {
	_, err := e.run(ctx, nil, "rm", "--force", "--volumes", container)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing a container that built an image: %w", err)
	}
	return nil
}
