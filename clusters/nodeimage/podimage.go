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
// version that this machine's Debian has, and what stands in for the load
// balancer of several control planes.
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
	var err error
	if tag, ok := busyboxTag(ref); ok {
		err = p.buildBusybox(ctx, ref, tag, progress)
	} else if isLoadBalancer(ref) {
		err = p.buildLoadBalancer(ctx, ref, progress)
	} else {
		return &NoImageError{Image: ref, Registry: failed.why, Build: "how to make it is not known here"}
	}
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

// busyboxPackage has the program of busybox's image.
const busyboxPackage = "busybox-static"

// buildBusybox makes the image of busybox out of Debian's package.
func (p *Provider) buildBusybox(ctx context.Context, ref, tag string, progress Progress) error {
	version, err := p.debian.candidate(ctx, busyboxPackage)
	if err != nil {
		return err
	}
	if !matchesTag(version, tag) {
		return fmt.Errorf("%w: %s %s", errNotThisBusybox, busyboxPackage, version)
	}
	image := podImage{ref: ref, versions: map[string]string{"busybox": version}}
	image.stage = stage{kind: busyboxKind, name: "busybox " + version, inputs: []string{busyboxPackage, version, runtime.GOARCH, ref}}
	return p.buildPodImage(ctx, image, progress, func(ctx context.Context, dir string, say func(string)) ([]layerFile, v1.Config, error) {
		files, err := p.busybox(ctx, dir, say)
		return files, v1.Config{Cmd: []string{"sh"}}, err
	})
}

// podImage is an image of one stage to build.
type podImage struct {
	ref      string
	stage    stage
	versions map[string]string // of what is inside
}

// buildPodImage makes an image of the files that gather finds, or puts into the
// folder dir, and loads it into the engine.
func (p *Provider) buildPodImage(ctx context.Context, image podImage, progress Progress,
	gather func(ctx context.Context, dir string, say func(string)) ([]layerFile, v1.Config, error),
) (err error) {
	unlock, err := p.locked(ctx, podLock, image.ref, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	b := &builder{store: p.store, progress: progress, beat: p.beat, image: image.ref, steps: 2}
	made := image.stage
	labels := map[string]string{builtLabel: RolePod, stagesLabel: made.kind + "-" + made.key()}
	for what, version := range image.versions {
		labels[versionLabel+what] = version
	}
	made.run = func(ctx context.Context, dir string, say func(string)) error {
		work := filepath.Join(dir, "work")
		if err := os.MkdirAll(work, 0o755); err != nil {
			return fmt.Errorf("making the image: %w", err)
		}
		files, config, err := gather(ctx, work, say)
		if err != nil {
			return err
		}
		config.Env, config.Labels = []string{defaultPath}, labels
		if err := writeImage(dir, image.ref, config, files); err != nil {
			return err
		}
		return removeTree(work)
	}
	dir, err := b.made(ctx, made)
	if err != nil {
		return err
	}
	return b.acted(ctx, "loading "+image.ref, func(ctx context.Context, _ func(string)) error {
		f, err := os.Open(filepath.Join(dir, archiveFile))
		if err != nil {
			return fmt.Errorf("reading the image: %w", err)
		}
		defer f.Close()
		return p.engine.load(ctx, f)
	})
}

// writeImage writes an image of files to the archive in the folder dir.
func writeImage(dir, ref string, config v1.Config, files []layerFile) error {
	a := &archive{dir: filepath.Join(dir, "blobs")}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return fmt.Errorf("making the image: %w", err)
	}
	if err := a.add([]string{ref}, config, files); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, archiveFile), a.writeTo); err != nil {
		return err
	}
	return removeTree(a.dir)
}

// busybox gets Debian's busybox into the folder dir. The files are those of its
// official image.
func (p *Provider) busybox(ctx context.Context, dir string, say func(string)) ([]layerFile, error) {
	say("getting the package " + busyboxPackage)
	file, err := p.debian.fetch(ctx, dir, busyboxPackage)
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, "tree")
	if err := (child{}).stream(ctx, "dpkg-deb", "--extract", file, tree); err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", filepath.Base(file), err)
	}
	return busyboxFiles(ctx, tree)
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
