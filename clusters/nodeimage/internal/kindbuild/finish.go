package kindbuild

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// finish reads which version the builder's image is, and gives the image its
// labels and its name.
func (k *Builder) finish(ctx context.Context, from string, name Name) (ref string, err error) {
	container := k.store.WorkName() + strings.ToLower(rand.Text()[:10])
	_, err = k.engine.Run(ctx, nil, "create", "--name", container, k.part())
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		err = errors.Join(err, k.engine.Remove(clean, container))
	}()
	if err != nil {
		return "", fmt.Errorf("looking into the image: %w", err)
	}
	built, err := k.version(ctx, container)
	if err != nil {
		return "", err
	}
	if ref, err = name(built); err != nil {
		return "", err
	}
	args := []string{"commit"}
	for _, label := range [][2]string{
		{images.BuiltLabel, store.Key("kind", []string{k.Base, from, built})},
		{images.SourceLabel, from},
		{images.VersionLabel + "kubernetes", built},
		{images.VersionLabel + "base", k.Base},
	} {
		args = append(args, "--change", fmt.Sprintf("LABEL %s=%q", label[0], label[1]))
	}
	if _, err := k.engine.Run(ctx, nil, append(args, container, ref)...); err != nil {
		return "", fmt.Errorf("naming the image: %w", err)
	}
	return ref, nil
}

// version reads the version that kind's builder has written into an image.
func (k *Builder) version(ctx context.Context, container string) (string, error) {
	archive, err := k.engine.Run(ctx, nil, "cp", container+":/kind/version", "-")
	if err != nil {
		return "", fmt.Errorf("reading the version of the image: %w", err)
	}
	in := tar.NewReader(strings.NewReader(archive))
	if _, err := in.Next(); err != nil {
		return "", fmt.Errorf("reading the version of the image: %w", err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return "", fmt.Errorf("reading the version of the image: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
