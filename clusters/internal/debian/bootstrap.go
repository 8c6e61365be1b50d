package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// EnsureDebootstrap installs debootstrap where it is missing.
func (d System) EnsureDebootstrap(ctx context.Context, say func(string)) error {
	if _, err := exec.LookPath("debootstrap"); err == nil {
		return nil
	}
	say("installing debootstrap")
	c := build.Child{Env: []string{"DEBIAN_FRONTEND=noninteractive"}}
	install := []string{"install", "--yes", "--no-install-recommends", "debootstrap"}
	err := c.Stream(ctx, "apt-get", install...)
	if err == nil || ctx.Err() != nil || errors.Is(err, store.ErrNoSpace) || errors.Is(err, build.ErrCannotBuild) {
		return err
	}
	// The lists of packages may be missing, or too old.
	if updateErr := c.Stream(ctx, "apt-get", "update"); updateErr != nil {
		return fmt.Errorf("installing debootstrap: %w", errors.Join(err, updateErr))
	}
	if err := c.Stream(ctx, "apt-get", install...); err != nil {
		return fmt.Errorf("installing debootstrap: %w", err)
	}
	return nil
}

// Bootstrap makes a root file system of packages in a folder that does not
// exist yet. Its mounts end with it.
func (d System) Bootstrap(ctx context.Context, s Source, packages []string, root string, say func(string)) error {
	c := build.Child{Alone: d.alone, Env: d.proxy(ctx), Line: func(line string) bool {
		if what, ok := strings.CutPrefix(line, "I: "); ok {
			say(what)
			return false
		}
		return true
	}}
	args := []string{"--variant=minbase", "--components=" + strings.Join(s.components, ","), "--include=" + strings.Join(packages, ","), s.Suite, root, s.mirror}
	if err := c.Stream(ctx, "debootstrap", args...); err != nil {
		return fmt.Errorf("making a root file system: %w", d.explain(err, root))
	}
	return nil
}

// explain adds the end of debootstrap's own log to an error.
func (d System) explain(err error, root string) error {
	data, readErr := os.ReadFile(filepath.Join(root, "debootstrap", "debootstrap.log"))
	if readErr != nil {
		return err
	}
	last := strings.Join(build.OutputLines(data), "\n")
	if i := len(last) - 2000; i > 0 {
		last = last[i:]
	}
	if strings.Contains(strings.ToLower(last), "no space left on device") && !errors.Is(err, store.ErrNoSpace) {
		err = fmt.Errorf("%w: %w", store.ErrNoSpace, err)
	}
	return fmt.Errorf("%w\n%s", err, last)
}

// Inside runs a command in a root file system.
func (d System) Inside(ctx context.Context, root, name string, args ...string) ([]byte, error) {
	return build.Child{Alone: d.alone, Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}}.Output(ctx, "chroot", append([]string{root, name}, args...)...)
}
