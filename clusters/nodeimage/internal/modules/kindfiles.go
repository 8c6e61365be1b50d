package modules

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/nodeimage/guest"
)

// kindFacts are what the kind module says about its base image.
type kindFacts struct {
	version string
	// files is the folder of the base image's files.
	files string
	// versions are the Dockerfile's versions by the name of their argument,
	// such as CONTAINERD_VERSION.
	versions map[string]string
	// enable and mask are systemd units.
	enable, mask []string
	// sandboxImage is the pause image of the containerd configuration.
	sandboxImage string
}

// pinnedKind is the version of the kind module that this program was built
// with, so that images fit the code that boots them.
func pinnedKind() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == KindModule {
				return m.Version, nil
			}
		}
	}
	return "", fmt.Errorf("%w: this program does not say which version of %s it was built with", build.ErrCannotBuild, KindModule)
}

// readKind reads the facts from the module's folder.
func readKind(version, dir string) (kindFacts, error) {
	base := filepath.Join(dir, "images", "base")
	facts := kindFacts{version: version, files: filepath.Join(base, "files"), versions: map[string]string{}}
	dockerfile, err := os.ReadFile(filepath.Join(base, "Dockerfile"))
	if err != nil {
		return facts, fmt.Errorf("reading kind's base image: %w", err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ARG (\w+_VERSION)="?(v[^"\s]+)"?`).FindAllStringSubmatch(string(dockerfile), -1) {
		facts.versions[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`systemctl (enable|mask) (\S+)`).FindAllStringSubmatch(string(dockerfile), -1) {
		if m[1] == "enable" {
			facts.enable = append(facts.enable, m[2])
		} else {
			facts.mask = append(facts.mask, m[2])
		}
	}
	config, err := os.ReadFile(filepath.Join(facts.files, "etc", "containerd", "config.toml"))
	if err != nil {
		return facts, fmt.Errorf("reading kind's base image: %w", err)
	}
	m := regexp.MustCompile(`(?m)^\s*sandbox_image = "([^"]+)"`).FindSubmatch(config)
	if m == nil {
		return facts, fmt.Errorf("reading kind's base image: its containerd configuration names no sandbox_image")
	}
	facts.sandboxImage = string(m[1])
	for _, name := range []string{"CONTAINERD_VERSION", "CRICTL_VERSION", "CNI_PLUGINS_VERSION"} {
		if facts.versions[name] == "" {
			return facts, fmt.Errorf("reading kind's base image: its Dockerfile has no %s", name)
		}
	}
	return facts, nil
}

// baseFiles are the files of kind's base image and those of our own, with the
// permissions that its Dockerfile gives them.
func (k kindFacts) baseFiles() ([]oci.File, error) {
	var files []oci.File
	err := filepath.WalkDir(k.files, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(k.files, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, oci.File{Path: rel, Mode: baseMode(rel), Source: name})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading kind's base image: %w", err)
	}
	own, err := guest.Files()
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(own, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(own, name)
		files = append(files, oci.File{Path: name, Mode: baseMode(name), Data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading embedded files: %w", err)
	}
	return files, nil
}

// baseMode is 0755 for what lies in a folder of programs, else 0644.
func baseMode(name string) os.FileMode {
	if path.Base(path.Dir(name)) == "bin" {
		return 0o755
	}
	return 0o644
}

// kindFacts reads the module kind in the version that this program was built
// with, or in the one that it was told.
func (r *Recipe) kindFacts(ctx context.Context) (kindFacts, error) {
	version := r.kind
	if version == "" {
		var err error
		if version, err = pinnedKind(); err != nil {
			return kindFacts{}, err
		}
	}
	m, err := r.Tool.Get(ctx, KindModule+"@"+version)
	if err != nil {
		return kindFacts{}, err
	}
	return readKind(version, m.Dir)
}
