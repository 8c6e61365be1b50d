package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters/engine/ociruntime"
)

// Where things are on a host.
const (
	daemonConfig = "/etc/docker/daemon.json"
	daemonPID    = "/var/run/docker.pid"
	daemonSocket = "/var/run/docker.sock"
	daemonLog    = "/var/log/docker-lab.log"
	runtimePath  = "/usr/local/libexec/lab/" + ociruntime.Name
)

// ground is the machine that this process runs on.
type ground struct {
	// root is the directory that holds the files above, "" for the real ones.
	root string
	// proc is where the proc file system is.
	proc     string
	getenv   func(string) string
	euid     func() int
	hostname func() (string, error)
	kernel   func() (string, error)
	// free returns the bytes that can still be written below path.
	free func(path string) (int64, error)
	// comm returns the name of a running process, "" where there is none.
	comm func(pid int) string
	// executable is this program.
	executable func() (string, error)
	// dockerdArgs are given to a dockerd that is started detached.
	dockerdArgs []string
	// patience bounds the wait for an engine that was started or asked to read
	// its configuration.
	patience time.Duration
	// registryPatience bounds the wait for the registry.
	registryPatience time.Duration
	now              func() time.Time
}

// realGround is the machine as it is.
func realGround(getenv func(string) string) ground {
	if getenv == nil {
		getenv = os.Getenv
	}
	return ground{
		proc:             "/proc",
		getenv:           getenv,
		euid:             os.Geteuid,
		hostname:         os.Hostname,
		kernel:           kernelRelease,
		free:             freeBytes,
		comm:             processName,
		executable:       os.Executable,
		patience:         60 * time.Second,
		registryPatience: registryTimeout,
		now:              time.Now,
	}
}

func (g ground) path(p string) string { return filepath.Join(g.root, p) }

// isLocal says whether the engine runs on this very machine, so that the
// machine's files tell of it.
func (g ground) isLocal(facts info) bool {
	if facts.remote {
		return false
	}
	name, err := g.hostname()
	if err != nil || name != facts.hostname {
		return false
	}
	release, err := g.kernel()
	return err == nil && release == facts.kernel
}

func processName(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// dockerdPID returns the process of the dockerd that runs here, 0 for none.
func (g ground) dockerdPID() int {
	text, err := os.ReadFile(g.path(daemonPID))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 || g.comm(pid) != "dockerd" {
		return 0
	}
	return pid
}

// bounding returns the capabilities that the engine's containers can have:
// those of dockerd where it runs here, else this process's own.
func (g ground) bounding() (ociruntime.Bounding, error) {
	process := "self"
	if pid := g.dockerdPID(); pid != 0 {
		process = strconv.Itoa(pid)
	}
	status, err := os.ReadFile(filepath.Join(g.proc, process, "status"))
	if err != nil && process != "self" {
		status, err = os.ReadFile(filepath.Join(g.proc, "self", "status"))
	}
	if err != nil {
		return 0, fmt.Errorf("reading the capability bounding set: %w", err)
	}
	return ociruntime.ParseBounding(status)
}

// missing names the capabilities that are not in the bounding set.
func (g ground) missing() ([]string, error) {
	set, err := g.bounding()
	if err != nil {
		return nil, err
	}
	return set.Missing(g.lastCap()), nil
}

// lastCap is the highest capability that the kernel knows.
func (g ground) lastCap() int {
	last, err := g.number("sys/kernel/cap_last_cap")
	if err != nil {
		return 40
	}
	return int(last)
}

// number reads a file below proc that holds one number.
func (g ground) number(file string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(g.proc, file))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}
