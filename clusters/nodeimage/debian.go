package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// debian makes root file systems and gets packages with this machine's own
// package sources.
type debian struct {
	// osRelease is the file that names the system, /etc/os-release.
	osRelease string
	// alone gives what makes root file systems mounts of its own.
	alone bool
}

// source is a package archive.
type source struct {
	mirror, suite string
	components    []string
}

// source is the archive that this machine's own packages are from.
func (d debian) source(ctx context.Context) (source, error) {
	data, err := os.ReadFile(d.osRelease)
	if err != nil {
		return source{}, fmt.Errorf("%w: reading which system this is: %w", ErrCannotBuild, err)
	}
	codename := ""
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			codename = strings.Trim(value, `"'`)
		}
	}
	if codename == "" {
		return source{}, fmt.Errorf("%w: %s names no release of Debian or Ubuntu; pull the node image where a registry can be reached", ErrCannotBuild, d.osRelease)
	}
	out, err := child{}.output(ctx, "apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages")
	if err != nil {
		return source{}, fmt.Errorf("asking apt for its package sources: %w", err)
	}
	s := source{suite: codename}
	for _, line := range outputLines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != codename || s.mirror != "" && s.mirror != fields[0] {
			continue
		}
		s.mirror = fields[0]
		if !slices.Contains(s.components, fields[2]) {
			s.components = append(s.components, fields[2])
		}
	}
	if s.mirror == "" {
		return source{}, fmt.Errorf("%w: apt has no package source for %q; add one, and run apt-get update", ErrCannotBuild, codename)
	}
	return s, nil
}

// ensureDebootstrap installs debootstrap where it is missing.
func (d debian) ensureDebootstrap(ctx context.Context, say func(string)) error {
	if _, err := exec.LookPath("debootstrap"); err == nil {
		return nil
	}
	say("installing debootstrap")
	c := child{env: []string{"DEBIAN_FRONTEND=noninteractive"}}
	install := []string{"install", "--yes", "--no-install-recommends", "debootstrap"}
	err := c.stream(ctx, "apt-get", install...)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrNoSpace) || errors.Is(err, ErrCannotBuild) {
		return err
	}
	// The lists of packages may be missing, or too old.
	if updateErr := c.stream(ctx, "apt-get", "update"); updateErr != nil {
		return fmt.Errorf("installing debootstrap: %w", errors.Join(err, updateErr))
	}
	if err := c.stream(ctx, "apt-get", install...); err != nil {
		return fmt.Errorf("installing debootstrap: %w", err)
	}
	return nil
}

// bootstrap makes a root file system of packages in a folder that does not
// exist yet. Its mounts end with it.
func (d debian) bootstrap(ctx context.Context, s source, packages []string, root string, say func(string)) error {
	c := child{alone: d.alone, env: d.proxy(ctx), line: func(line string) bool {
		if what, ok := strings.CutPrefix(line, "I: "); ok {
			say(what)
			return false
		}
		return true
	}}
	args := []string{"--variant=minbase", "--components=" + strings.Join(s.components, ","), "--include=" + strings.Join(packages, ","), s.suite, root, s.mirror}
	if err := c.stream(ctx, "debootstrap", args...); err != nil {
		return fmt.Errorf("making a root file system: %w", d.explain(err, root))
	}
	return nil
}

// proxy is what apt's own configuration says about a proxy, as an environment.
func (d debian) proxy(ctx context.Context) []string {
	out, err := child{}.output(ctx, "apt-config", "dump", "--format", "%v%n", "Acquire::http::Proxy")
	if lines := outputLines(out); err == nil && len(lines) == 1 {
		return []string{"http_proxy=" + lines[0]}
	}
	return nil
}

// explain adds the end of debootstrap's own log to an error.
func (d debian) explain(err error, root string) error {
	data, readErr := os.ReadFile(filepath.Join(root, "debootstrap", "debootstrap.log"))
	if readErr != nil {
		return err
	}
	said := &lines{}
	if _, writeErr := said.Write(data); writeErr != nil {
		return err
	}
	last := said.last()
	if i := len(last) - 2000; i > 0 {
		last = last[i:]
	}
	if strings.Contains(strings.ToLower(last), "no space left on device") && !errors.Is(err, ErrNoSpace) {
		err = fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return fmt.Errorf("%w\n%s", err, last)
}

// inside runs a command in a root file system.
func (d debian) inside(ctx context.Context, root, name string, args ...string) ([]byte, error) {
	return child{alone: d.alone, env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}}.output(ctx, "chroot", append([]string{root, name}, args...)...)
}

// candidate is the version of a package that this machine's apt would get.
func (d debian) candidate(ctx context.Context, name string) (string, error) {
	out, err := child{}.output(ctx, "apt-cache", "show", "--no-all-versions", name)
	if err != nil {
		return "", fmt.Errorf("%w: asking apt for %s: %w", ErrCannotBuild, name, err)
	}
	for _, line := range outputLines(out) {
		if v, ok := strings.CutPrefix(line, "Version: "); ok {
			return v, nil
		}
	}
	return "", fmt.Errorf("%w: apt knows no package %s", ErrCannotBuild, name)
}

// fetch gets a package that this machine's apt knows, as a file in dir.
func (d debian) fetch(ctx context.Context, dir, name string) (string, error) {
	if err := (child{dir: dir}).stream(ctx, "apt-get", "download", name); err != nil {
		return "", fmt.Errorf("getting the package %s: %w", name, err)
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("getting the package %s: %d files came", name, len(found))
	}
	return found[0], nil
}

// slim removes what a node never reads from a root file system, and the units
// that kind's Dockerfile removes: those that would configure the machine that
// a node is not.
func slim(root string) error {
	for _, pattern := range []string{
		"var/cache/apt/*", "var/lib/apt/lists/*", "var/log/*", "debootstrap", "dev/*", "etc/resolv.conf", "etc/hostname",
		"usr/share/man/*", "usr/share/locale/*", "usr/share/info/*", "usr/share/lintian/*",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
		"usr/lib/systemd/system/multi-user.target.wants/*", "etc/systemd/system/*.wants/*",
		"usr/lib/systemd/system/local-fs.target.wants/*", "usr/lib/systemd/system/sockets.target.wants/*udev*",
		"usr/lib/systemd/system/sockets.target.wants/*initctl*", "usr/lib/systemd/system/basic.target.wants/*",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("slimming the root file system: %w", err)
		}
		for _, name := range found {
			if err := os.RemoveAll(name); err != nil {
				return fmt.Errorf("slimming the root file system: %w", err)
			}
		}
	}
	return keepLicences(filepath.Join(root, "usr", "share", "doc"))
}

// keepLicences removes all but the copyright files below a folder.
func keepLicences(doc string) error {
	err := filepath.WalkDir(doc, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "copyright" {
			return err
		}
		return os.Remove(name)
	})
	if err != nil {
		return fmt.Errorf("slimming the root file system: %w", err)
	}
	return nil
}
