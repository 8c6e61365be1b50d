package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// survey is what Up finds before it changes anything.
type survey struct {
	// engine is the one that answers; answers is false where none does, and
	// silence then says what was tried.
	engine  clusters.Engine
	answers bool
	silence error
	info    info
	local   bool
	// tried are the findings of the trial, where an engine answers.
	tried []Finding

	os       string // GOOS
	distro   distro
	root     bool
	systemd  bool
	missing  []string
	aptGet   bool
	dockerd  string // its path, "" for none
	client   bool   // docker is on the PATH
	running  int    // the process of dockerd, 0 for none
	hostVar  string // DOCKER_HOST, where it is not this machine's own socket
	packages []string
	// low are the kernel's limits that are too low.
	low []limit
	// stale says that the package lists have to be fetched first.
	stale bool

	settings daemonSettings
	// named says that daemon.json knows lab's runtime already.
	named bool
	// current says that the installed runtime is this program.
	current bool
}

// has says whether one of the trial's findings has the status.
func (s survey) has(status Status) bool {
	return slices.ContainsFunc(s.tried, func(f Finding) bool { return f.Status == status })
}

// look surveys the machine. It changes nothing but for the probe's container,
// which it removes again.
func look(ctx context.Context, g ground, tell func(string)) (survey, error) {
	s := survey{os: runtime.GOOS, root: g.euid() == 0, distro: readDistro(g.path("/etc/os-release"))}
	tell("asking the container engines")
	e, facts, err := detect(ctx, g.getenv)
	switch {
	case err == nil:
		s.engine, s.info, s.answers, s.local = e, facts, true, g.isLocal(facts)
	case errors.Is(err, ErrNoEngine):
		s.silence = err
	default:
		return s, err
	}
	if s.answers {
		tell("starting a privileged container")
		tried, err := newTrial(e, facts, g).run(ctx)
		if err != nil {
			return s, err
		}
		s.tried = []Finding{tried.privileged, tried.exec}
	}
	if s.os != "linux" {
		return s, nil
	}
	return s, s.lookAround(ctx, g)
}

// lookAround reads what the host has to bring an engine up with.
func (s *survey) lookAround(ctx context.Context, g ground) error {
	var err error
	if s.missing, err = g.missing(); err != nil {
		return err
	}
	s.low = g.low()
	s.systemd = g.hasSystemd()
	s.running = g.dockerdPID()
	s.dockerd = findProgram("dockerd", g.path("/usr/sbin/dockerd"), g.path("/usr/bin/dockerd"), g.path("/usr/local/bin/dockerd"))
	s.client = findProgram("docker") != ""
	s.aptGet = findProgram("apt-get") != ""
	if h := g.getenv("DOCKER_HOST"); h != "" && h != "unix://"+g.path(daemonSocket) && h != "unix:///run/docker.sock" {
		s.hostVar = h
	}
	if s.settings, err = readSettings(g.path(daemonConfig)); err != nil {
		return err
	}
	_, change, err := s.settings.withRuntime(g.path(runtimePath))
	if err != nil {
		return err
	}
	s.named = !change
	executable, err := g.executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if s.current, err = sameContent(executable, g.path(runtimePath)); err != nil {
		return fmt.Errorf("comparing the installed runtime: %w", err)
	}
	if s.dockerd == "" && s.aptGet {
		s.packages, s.stale = wantedPackages(ctx)
	}
	return nil
}

func (g ground) hasSystemd() bool {
	_, err := os.Stat(g.path("/run/systemd/system"))
	return err == nil && g.comm(1) == "systemd"
}

// findProgram looks on the PATH, then for the given files.
func findProgram(name string, files ...string) string {
	for _, candidate := range append([]string{name}, files...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	return ""
}

// wantedPackages returns what apt is to install, and whether its lists do not
// know docker.io yet. Newer releases keep the client in a package of its own.
func wantedPackages(ctx context.Context) (packages []string, stale bool) {
	packages = []string{"docker.io"}
	if findProgram("docker") == "" && hasPackage(ctx, "docker-cli") {
		packages = append(packages, "docker-cli")
	}
	return packages, !hasPackage(ctx, "docker.io")
}

// hasPackage says whether apt's lists offer the package.
func hasPackage(ctx context.Context, name string) bool {
	out, err := exec.CommandContext(ctx, "apt-cache", "policy", name).Output()
	if err != nil {
		return false
	}
	_, candidate, found := strings.Cut(string(out), "Candidate:")
	if !found {
		return false
	}
	candidate, _, _ = strings.Cut(candidate, "\n")
	candidate = strings.TrimSpace(candidate)
	return candidate != "" && candidate != "(none)"
}

// distro is what /etc/os-release says.
type distro struct {
	// name is for people, ids are ID and ID_LIKE.
	name string
	ids  []string
}

func readDistro(path string) distro {
	d := distro{name: "this system"}
	file, err := os.Open(path)
	if err != nil {
		return d
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "PRETTY_NAME":
			d.name = value
		case "ID":
			d.ids = append([]string{value}, d.ids...)
		case "ID_LIKE":
			d.ids = append(d.ids, strings.Fields(value)...)
		}
	}
	return d
}

// install says how docker is installed by hand on the distribution.
func (d distro) install() string {
	for _, id := range d.ids {
		switch id {
		case "debian", "ubuntu":
			return "apt-get update && apt-get install -y docker.io"
		case "fedora", "rhel", "centos":
			return "dnf install -y moby-engine && systemctl enable --now docker"
		case "alpine":
			return "apk add docker && rc-update add docker && service docker start"
		case "arch":
			return "pacman -S docker && systemctl enable --now docker"
		case "suse", "opensuse":
			return "zypper install -y docker && systemctl enable --now docker"
		}
	}
	return "see https://docs.docker.com/engine/install/"
}
