package images

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
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// Engine is what is asked of the container engine.
type Engine struct {
	CLI clusters.Engine
}

// Image is what the engine says of an image.
type Image struct {
	ID       string `json:"Id"`
	Created  string
	Size     int64
	Config   struct{ Labels map[string]string }
	Metadata struct{ LastTagTime string }
}

// BuiltAt is when the image was built, or where it does not say, when it was
// named; zero where the engine does not know either.
func (i Image) BuiltAt() time.Time {
	for _, text := range []string{i.Created, i.Metadata.LastTagTime} {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.Unix() > 0 {
			return t
		}
	}
	return time.Time{}
}

// Run runs the engine's command line; its standard output comes back, also
// where it failed.
func (e Engine) Run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd := e.CLI.Command(ctx, args...)
	out, err := build.Child{Stdin: stdin}.Output(ctx, cmd.Path, args...)
	return strings.TrimSpace(string(out)), err
}

// Has says whether the engine has an image, by tag or digest.
func (e Engine) Has(ctx context.Context, ref string) (bool, error) {
	images, err := e.Inspect(ctx, ref)
	return len(images) > 0, err
}

// Inspect describes images; those that are not there are left out.
func (e Engine) Inspect(ctx context.Context, refs ...string) ([]Image, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	out, err := e.Run(ctx, nil, append([]string{"image", "inspect"}, refs...)...)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking the engine for images: %w", err)
	}
	var images []Image
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

// Tags are the names under which the engine has images of a repository.
func (e Engine) Tags(ctx context.Context, repository string) ([]string, error) {
	out, err := e.Run(ctx, nil, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference="+repository)
	if err != nil {
		return nil, fmt.Errorf("listing the engine's images: %w", err)
	}
	var tags []string
	for _, line := range build.OutputLines([]byte(out)) {
		if !strings.Contains(line, "<none>") {
			tags = append(tags, line)
		}
	}
	return tags, nil
}

// Versions are the versions of which the engine has a node image, with
// its name.
func (e Engine) Versions(ctx context.Context, repository string) (map[clusters.Version]string, error) {
	tags, err := e.Tags(ctx, repository)
	if err != nil {
		return nil, err
	}
	found := map[clusters.Version]string{}
	for _, ref := range tags {
		name, err := oci.SplitName(ref)
		if err != nil {
			continue
		}
		if v, err := clusters.ParseVersion(name.Tag); err == nil {
			found[v] = ref
		}
	}
	return found, nil
}

// Load reads images from an archive.
func (e Engine) Load(ctx context.Context, archive io.Reader) error {
	if _, err := e.Run(ctx, archive, "image", "load"); err != nil {
		return fmt.Errorf("loading an image into the engine: %w", err)
	}
	return nil
}

// DataDir is where on this machine the engine keeps its images, or empty where
// that is not known.
func (e Engine) DataDir(ctx context.Context) string {
	dir, err := e.Run(ctx, nil, "info", "--format", "{{.DockerRootDir}}")
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	if _, err := os.Stat(dir); err != nil {
		return "" // it may be on another machine
	}
	return dir
}

// Sweep removes the containers that interrupted builds have left, whose names
// begin with prefix. The build lock must be held.
func (e Engine) Sweep(ctx context.Context, prefix string) error {
	out, err := e.Run(ctx, nil, "ps", "--all", "--quiet", "--filter", "name=^/?"+prefix)
	if err != nil {
		return fmt.Errorf("looking for what an interrupted build has left: %w", err)
	}
	for _, id := range strings.Fields(out) {
		if err := e.Remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Remove ends a container and removes it with its volumes.
func (e Engine) Remove(ctx context.Context, container string) error {
	_, err := e.Run(ctx, nil, "rm", "--force", "--volumes", container)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing a container that built an image: %w", err)
	}
	return nil
}

// Built are the names of the images that were built here; of those that have
// lost their name to a newer one, the IDs.
func (e Engine) Built(ctx context.Context) ([]string, error) {
	out, err := e.Run(ctx, nil, "image", "ls", "--no-trunc", "--format", "{{.ID}} {{.Repository}}:{{.Tag}}", "--filter", "label="+BuiltLabel)
	if err != nil {
		return nil, fmt.Errorf("listing the engine's images: %w", err)
	}
	var refs []string
	for _, line := range build.OutputLines([]byte(out)) {
		id, ref, _ := strings.Cut(line, " ")
		if strings.Contains(ref, "<none>") {
			ref = id
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// Users are the containers by the ID of the image that they were made of.
func (e Engine) Users(ctx context.Context) (map[string][]string, error) {
	out, err := e.Run(ctx, nil, "ps", "--all", "--quiet", "--no-trunc")
	if err != nil {
		return nil, fmt.Errorf("listing the engine's containers: %w", err)
	}
	ids := strings.Fields(out)
	if len(ids) == 0 {
		return nil, nil
	}
	out, err = e.Run(ctx, nil, append([]string{"container", "inspect", "--format", "{{.Image}} {{.Name}}"}, ids...)...)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		err = nil // one went meanwhile; the others are in the output
	}
	if err != nil {
		return nil, fmt.Errorf("asking the engine for its containers: %w", err)
	}
	users := map[string][]string{}
	for _, line := range build.OutputLines([]byte(out)) {
		if id, name, ok := strings.Cut(line, " "); ok {
			users[id] = append(users[id], strings.TrimPrefix(name, "/"))
		}
	}
	return users, nil
}

// Untag removes an image's name, and the image where it has no other.
func (e Engine) Untag(ctx context.Context, ref string) error {
	_, err := e.Run(ctx, nil, "image", "rm", ref)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing image %s: %w", ref, err)
	}
	return nil
}

// SweepMarked removes the containers whose names begin with prefix and whose
// environment contains mark.
func (e Engine) SweepMarked(ctx context.Context, prefix, mark string) error {
	out, err := e.Run(ctx, nil, "ps", "--all", "--quiet", "--filter", "name=^/?"+prefix)
	if err != nil {
		return fmt.Errorf("looking for what an interrupted build has left: %w", err)
	}
	for _, id := range strings.Fields(out) {
		env, err := e.Run(ctx, nil, "container", "inspect", "--format", "{{json .Config.Env}}", id)
		var failed *clusters.CommandError
		if errors.As(err, &failed) && missing(failed.Output) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking for what an interrupted build has left: %w", err)
		}
		if !strings.Contains(env, mark) {
			continue
		}
		if err := e.Remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
