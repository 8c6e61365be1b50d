package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// archiveFile is an image as "docker load" reads it, in its stage's folder.
const archiveFile = "image.tar"

// EnsureImage makes the engine have an image of a scenario's pods: it is there,
// or it is pulled, or it is built where that is known here: busybox of the
// version that this machine's Debian has.
//
// Where it cannot be had the error is an ErrNoImage, which names the image and
// says what the registry answered.
func (p *Provider) EnsureImage(ctx context.Context, ref string, progress Progress) error {
	if ok, err := p.engine.has(ctx, ref); ok || err != nil {
		return err
	}
	pullErr := p.pull(ctx, ref, progress)
	var failed *pullError
	if !errors.As(pullErr, &failed) {
		return pullErr
	}
	tag, ok := busyboxTag(ref)
	if !ok {
		return &NoImageError{Image: ref, Registry: failed.why, Build: "how to make it is not known here"}
	}
	err := p.buildBusybox(ctx, ref, tag, progress)
	if errors.Is(err, errNotThisBusybox) || errors.Is(err, ErrCannotBuild) {
		return &NoImageError{Image: ref, Registry: failed.why, Build: err.Error()}
	}
	return err
}

// errNotThisBusybox says that Debian's busybox is not the one wanted.
var errNotThisBusybox = errors.New("this machine's packages have another version")

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

// busyboxKind is the kind of the stage that makes busybox's image.
const busyboxKind = "busybox"

// buildBusybox makes the image of busybox out of Debian's busybox-static.
func (p *Provider) buildBusybox(ctx context.Context, ref, tag string, progress Progress) (err error) {
	const pkg = "busybox-static"
	version, err := p.debian.candidate(ctx, pkg)
	if err != nil {
		return err
	}
	if !matchesTag(version, tag) {
		return fmt.Errorf("%w: %s %s", errNotThisBusybox, pkg, version)
	}
	unlock, err := p.locked(ctx, podLock, ref, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	b := &builder{store: p.store, progress: progress, beat: p.beat, image: ref, steps: 2}
	made := stage{kind: busyboxKind, name: "busybox " + version, inputs: []string{pkg, version, runtime.GOARCH, ref}}
	labels := map[string]string{builtLabel: RolePod, stagesLabel: made.kind + "-" + made.key(), versionLabel + "busybox": version}
	made.run = func(ctx context.Context, dir string, say func(string)) error {
		say("getting the package " + pkg)
		return p.makeBusybox(ctx, dir, pkg, ref, labels)
	}
	dir, err := b.made(ctx, made)
	if err != nil {
		return err
	}
	return b.acted(ctx, "loading "+ref, func(ctx context.Context, _ func(string)) error {
		f, err := os.Open(filepath.Join(dir, archiveFile))
		if err != nil {
			return fmt.Errorf("reading the image: %w", err)
		}
		defer f.Close()
		return p.engine.load(ctx, f)
	})
}

// makeBusybox makes the stage of busybox's image in the folder dir.
func (p *Provider) makeBusybox(ctx context.Context, dir, pkg, ref string, labels map[string]string) error {
	file, err := p.debian.fetch(ctx, dir, pkg)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "tree")
	if err := (child{}).stream(ctx, "dpkg-deb", "--extract", file, tree); err != nil {
		return fmt.Errorf("unpacking %s: %w", filepath.Base(file), err)
	}
	files, err := busyboxFiles(ctx, tree)
	if err != nil {
		return err
	}
	a := &archive{dir: filepath.Join(dir, "blobs")}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return fmt.Errorf("making the image: %w", err)
	}
	config := v1.Config{Env: []string{defaultPath}, Cmd: []string{"sh"}, Labels: labels}
	if err := a.add([]string{ref}, config, files); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, archiveFile), a.writeTo); err != nil {
		return err
	}
	return errors.Join(removeTree(a.dir), removeTree(tree), os.Remove(file))
}

// busyboxFiles are the files of busybox's image: those of the official one.
func busyboxFiles(ctx context.Context, tree string) ([]layerFile, error) {
	program := ""
	for _, name := range []string{"bin/busybox", "usr/bin/busybox"} {
		if _, err := os.Stat(filepath.Join(tree, name)); err == nil {
			program = filepath.Join(tree, name)
			break
		}
	}
	out, err := child{}.output(ctx, program, "--list")
	if err != nil {
		return nil, fmt.Errorf("asking busybox for its commands: %w", err)
	}
	files := []layerFile{
		executable("bin/busybox", program), temporary(),
		{path: "etc/passwd", mode: 0o644, data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n")},
		{path: "etc/group", mode: 0o644, data: []byte("root:x:0:\nnobody:x:65534:\n")},
		{path: "root", mode: os.ModeDir | 0o700}, {path: "home", mode: os.ModeDir | 0o755}, {path: "usr/sbin", mode: os.ModeDir | 0o755},
		{path: "var/spool/mail", mode: os.ModeDir | 0o755}, {path: "dev", mode: os.ModeDir | 0o755},
		{path: "usr/bin/env", link: "/bin/busybox"},
	}
	for _, command := range outputLines(out) {
		if command != "busybox" {
			files = append(files, layerFile{path: "bin/" + command, link: "busybox"})
		}
	}
	return files, nil
}

// writeFile lets write write a file.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, spaceError(err))
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, spaceError(err))
	}
	return nil
}
