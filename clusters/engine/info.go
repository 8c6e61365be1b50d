package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// info is what an engine says of itself.
type info struct {
	version  string
	cgroup   int
	cpus     int
	memory   int64 // bytes
	storage  string
	rootDir  string
	hostname string
	kernel   string
	arch     string // as GOARCH
	rootless bool
	remote   bool
	// runtimes are the names of the OCI runtimes that are registered.
	runtimes       []string
	defaultRuntime string
	httpProxy      bool
}

// parseInfo reads `ENGINE info --format {{json .}}`.
func parseInfo(engine string, text []byte) (info, error) {
	if engine == "podman" {
		return parsePodman(text)
	}
	return parseDocker(text)
}

// dockerInfo is what docker and nerdctl print.
type dockerInfo struct {
	ServerVersion   string
	ServerErrors    []string
	CgroupVersion   string
	NCPU            int
	MemTotal        int64
	Driver          string
	DockerRootDir   string
	Name            string
	KernelVersion   string
	Architecture    string
	SecurityOptions []string
	Runtimes        map[string]json.RawMessage
	DefaultRuntime  string
	HTTPProxy       string `json:"HttpProxy"`
	HTTPSProxy      string `json:"HttpsProxy"`
}

func parseDocker(text []byte) (info, error) {
	var d dockerInfo
	if err := json.Unmarshal(text, &d); err != nil {
		return info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	if len(d.ServerErrors) > 0 {
		return info{}, errors.New("the client is there, the engine does not answer: " + lastLines(strings.Join(d.ServerErrors, "\n"), 3))
	}
	if d.ServerVersion == "" {
		return info{}, errors.New("the client names no server version (is it another engine's imitation?)")
	}
	facts := info{
		version: d.ServerVersion, cgroup: 1, cpus: d.NCPU, memory: d.MemTotal,
		storage: d.Driver, rootDir: d.DockerRootDir, hostname: d.Name, kernel: d.KernelVersion,
		arch: goarch(d.Architecture), defaultRuntime: d.DefaultRuntime,
		httpProxy: d.HTTPProxy+d.HTTPSProxy != "",
	}
	if d.CgroupVersion == "2" {
		facts.cgroup = 2
	}
	for _, option := range d.SecurityOptions {
		facts.rootless = facts.rootless || slices.Contains(strings.Split(option, ","), "name=rootless")
	}
	for name := range d.Runtimes {
		facts.runtimes = append(facts.runtimes, name)
	}
	slices.Sort(facts.runtimes)
	return facts, nil
}

type podmanInfo struct {
	Host struct {
		CgroupVersion   string
		CPUs            int
		MemTotal        int64
		Hostname        string
		Kernel          string
		Arch            string
		ServiceIsRemote bool
		Security        struct{ Rootless bool }
		OCIRuntime      struct{ Name string }
	}
	Store struct {
		GraphDriverName string
		GraphRoot       string
	}
	Version struct{ Version string }
}

func parsePodman(text []byte) (info, error) {
	var p podmanInfo
	if err := json.Unmarshal(text, &p); err != nil {
		return info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	if p.Version.Version == "" {
		return info{}, errors.New("the client names no version")
	}
	facts := info{
		version: p.Version.Version, cgroup: 1, cpus: p.Host.CPUs, memory: p.Host.MemTotal,
		storage: p.Store.GraphDriverName, rootDir: p.Store.GraphRoot,
		hostname: p.Host.Hostname, kernel: p.Host.Kernel, arch: goarch(p.Host.Arch),
		rootless: p.Host.Security.Rootless, remote: p.Host.ServiceIsRemote,
		runtimes: []string{p.Host.OCIRuntime.Name}, defaultRuntime: p.Host.OCIRuntime.Name,
	}
	if p.Host.CgroupVersion == "v2" {
		facts.cgroup = 2
	}
	return facts, nil
}

// goarch translates the kernel's name of an architecture.
func goarch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return machine
}
