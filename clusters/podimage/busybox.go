package podimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// errNotThisBusybox says that Debian's busybox is not the one wanted.
var errNotThisBusybox = errors.New("this machine's packages have another version")

// busyboxKind is the kind of the stage that makes busybox's image.
const busyboxKind = "busybox"

// busyboxPackage has the program of busybox's image.
const busyboxPackage = "busybox-static"

// busyboxTag is the tag of a reference to the official image of busybox.
func busyboxTag(ref string) (string, bool) {
	parsed, err := name.NewTag(ref, name.WeakValidation)
	if err != nil {
		return "", false
	}
	official, err := name.NewRepository("busybox", name.WeakValidation)
	if err != nil || parsed.Repository.Name() != official.Name() {
		return "", false
	}
	return parsed.TagStr(), true
}

// matchesTag says whether a Debian version, such as "1:1.35.0-4+b1", is what
// an image's tag, such as "1.35", asks for.
func matchesTag(version, tag string) bool {
	if tag == "latest" || tag == "stable" {
		return true
	}
	_, upstream, epoch := strings.Cut(version, ":")
	if !epoch {
		upstream = version
	}
	upstream, _, _ = strings.Cut(upstream, "-")
	return upstream == tag || strings.HasPrefix(upstream, tag+".")
}

// buildBusybox makes the image of busybox out of Debian's package.
func (p *Provider) buildBusybox(ctx context.Context, ref, tag string, progress build.Progress) error {
	version, err := p.debian.Candidate(ctx, busyboxPackage)
	if err != nil {
		return err
	}
	if !matchesTag(version, tag) {
		return fmt.Errorf("%w: %s %s", errNotThisBusybox, busyboxPackage, version)
	}
	image := podImage{ref: ref, versions: map[string]string{"busybox": version}}
	image.stage = build.Stage{Kind: busyboxKind, Name: "busybox " + version, Inputs: []string{busyboxPackage, version, runtime.GOARCH, ref}}
	return p.buildPodImage(ctx, image, progress, func(ctx context.Context, dir string, say func(string)) ([]oci.File, v1.Config, error) {
		files, err := p.busybox(ctx, dir, say)
		return files, v1.Config{Cmd: []string{"sh"}}, err
	})
}

// busybox gets Debian's busybox into the folder dir. The files are those of its
// official image.
func (p *Provider) busybox(ctx context.Context, dir string, say func(string)) ([]oci.File, error) {
	say("getting the package " + busyboxPackage)
	file, err := p.debian.Fetch(ctx, dir, busyboxPackage)
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, "tree")
	if err := (build.Child{}).Stream(ctx, "dpkg-deb", "--extract", file, tree); err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", filepath.Base(file), err)
	}
	return busyboxFiles(ctx, tree)
}

// busyboxFiles are the files of busybox's image: those of the official one.
func busyboxFiles(ctx context.Context, tree string) ([]oci.File, error) {
	program := ""
	for _, name := range []string{"bin/busybox", "usr/bin/busybox"} {
		if _, err := os.Stat(filepath.Join(tree, name)); err == nil {
			program = filepath.Join(tree, name)
			break
		}
	}
	out, err := build.Child{}.Output(ctx, program, "--list")
	if err != nil {
		return nil, fmt.Errorf("asking busybox for its commands: %w", err)
	}
	files := []oci.File{
		oci.Executable("bin/busybox", program), oci.Temporary(),
		{Path: "etc/passwd", Mode: 0o644, Data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n")},
		{Path: "etc/group", Mode: 0o644, Data: []byte("root:x:0:\nnobody:x:65534:\n")},
		{Path: "root", Mode: os.ModeDir | 0o700}, {Path: "home", Mode: os.ModeDir | 0o755}, {Path: "usr/sbin", Mode: os.ModeDir | 0o755},
		{Path: "var/spool/mail", Mode: os.ModeDir | 0o755}, {Path: "dev", Mode: os.ModeDir | 0o755},
		{Path: "usr/bin/env", Link: "/bin/busybox"},
	}
	for _, command := range build.OutputLines(out) {
		if command != "busybox" {
			files = append(files, oci.File{Path: "bin/" + command, Link: "busybox"})
		}
	}
	return files, nil
}
