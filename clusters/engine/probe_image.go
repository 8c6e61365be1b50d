package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/kind-lab/lab/clusters"
)

// pauseImage serves where this program itself cannot: a few hundred kB, and
// kind's node images know it too.
const pauseImage = "registry.k8s.io/pause:3.10"

// probeImage is an image to try containers with.
type probeImage struct {
	ref string
	// exec is the command that ends at once in a container of it.
	exec []string
	// facts tells of an image whose exec prints facts.
	facts bool
	// remove says that the image was made for this and is to be removed.
	remove bool
}

// errNotStatic tells why this program cannot run in an empty image.
var errNotStatic = errors.New("this program is not a static executable for linux")

// isStatic returns nil where the executable at path needs nothing but a
// kernel of the architecture.
func isStatic(path, arch string) error {
	if arch != runtime.GOARCH {
		return fmt.Errorf("%w on %s", errNotStatic, arch)
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotStatic, err)
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return fmt.Errorf("%w: it needs a dynamic linker (build it with CGO_ENABLED=0)", errNotStatic)
		}
	}
	return nil
}

// writeProbeImage writes an image, as `docker load` takes it, that holds the
// executable alone and runs it as the probe.
func writeProbeImage(w io.Writer, ref, executable, arch string) error {
	layer, err := probeLayer(executable)
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, static.NewLayer(layer, types.DockerUncompressedLayer))
	if err != nil {
		return fmt.Errorf("making the probe's image: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return fmt.Errorf("making the probe's image: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", arch
	config.Config.Entrypoint = []string{"/" + probeName}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return fmt.Errorf("making the probe's image: %w", err)
	}
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("making the probe's image: %w", err)
	}
	if err := tarball.Write(tag, image, w); err != nil {
		return fmt.Errorf("making the probe's image: %w", err)
	}
	return nil
}

func probeLayer(executable string) ([]byte, error) {
	program, err := os.ReadFile(executable)
	if err != nil {
		return nil, fmt.Errorf("reading this program for the probe's image: %w", err)
	}
	var layer bytes.Buffer
	layer.Grow(len(program) + 4096)
	archive := tar.NewWriter(&layer)
	header := &tar.Header{Name: probeName, Mode: 0o755, Size: int64(len(program)), Typeflag: tar.TypeReg}
	if err := archive.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("writing the probe's image: %w", err)
	}
	if _, err := archive.Write(program); err != nil {
		return nil, fmt.Errorf("writing the probe's image: %w", err)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("writing the probe's image: %w", err)
	}
	return layer.Bytes(), nil
}

// prepare returns an image to try with: this program in an empty image, or,
// where it cannot run there, one that the engine has or can pull.
func (t trial) prepare(ctx context.Context) (probeImage, error) {
	executable, err := t.ground.executable()
	if err == nil {
		err = isStatic(executable, t.info.arch)
	}
	if err != nil {
		return t.borrow(ctx, err)
	}
	image := probeImage{ref: "lab.local/probe:" + t.id, exec: []string{"/" + probeName, "facts"}, facts: true, remove: true}
	return image, load(ctx, t.engine, func(w io.Writer) error {
		return writeProbeImage(w, image.ref, executable, t.info.arch)
	})
}

// borrow takes a small image that is not ours; why says what ruled ours out.
func (t trial) borrow(ctx context.Context, why error) (probeImage, error) {
	image := probeImage{ref: pauseImage, exec: []string{"/pause", "-v"}}
	if _, err := t.engine.Output(ctx, "image", "inspect", pauseImage); err == nil {
		return image, nil
	}
	if err := t.engine.Run(ctx, nil, io.Discard, "pull", pauseImage); err != nil {
		return image, fmt.Errorf("there is no image to try with: %w, and %s cannot be pulled: %w", why, pauseImage, said(err))
	}
	image.remove = true
	return image, nil
}

// load feeds the engine the image that write writes.
func load(ctx context.Context, e clusters.Engine, write func(io.Writer) error) error {
	from, to := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(to)
		written <- errors.Join(err, to.CloseWithError(err))
	}()
	err := e.Run(ctx, from, io.Discard, "load")
	from.CloseWithError(io.ErrClosedPipe)
	writeErr := <-written
	if err != nil {
		return fmt.Errorf("loading the probe's image: %w", said(err))
	}
	return writeErr
}
