package fakehost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kind-lab/lab/clusters"
)

// Module is a module version; one with an Err is not available.
type Module struct {
	Err string
	Mod string
	// Unlisted is left out of the module's list of versions.
	Unlisted bool
	// Go, Time and Commit are what is said of it; there are defaults. A commit
	// "none" is not said.
	Go, Time, Commit string
}

// Release makes all modules of a release available.
func (w World) Release(v string, more ...string) {
	parsed, err := clusters.ParseVersion(v)
	if err != nil {
		panic(err)
	}
	goMod := "module k8s.io/kubernetes\n\ngo 1.21\n\nreplace (\n"
	for _, m := range []string{"k8s.io/api", "k8s.io/client-go", "k8s.io/sample-controller"} {
		goMod += fmt.Sprintf("\t%s => ./staging/src/%s\n", m, m)
	}
	w.Module("k8s.io/kubernetes", "v"+v, Module{Mod: goMod + ")\n"})
	for _, m := range append([]string{"k8s.io/api", "k8s.io/client-go"}, more...) {
		w.Module(m, fmt.Sprintf("v0.%d.%d", parsed.Minor, parsed.Patch), Module{})
	}
}

// Companions makes the modules available that are built beside Kubernetes.
func (w World) Companions() {
	w.Module("github.com/containerd/containerd/v2", "v2.3.4", Module{})
	w.Module("github.com/containernetworking/plugins", "v1.9.1", Module{})
	w.Module("sigs.k8s.io/cri-tools", "v1.36.0", Module{})
	w.Module("github.com/flannel-io/flannel", "v0.28.4", Module{})
	w.Module("go.etcd.io/etcd/server/v3", "v3.5.24", Module{})
	w.Module("github.com/coredns/coredns", "v1.14.6", Module{})
}

// Module makes one module version available, or not, where it has an Err.
func (w World) Module(path, version string, m Module) {
	mods := map[string]Module{}
	w.Change("modules", &mods, func() { mods[path+"@"+version] = m })
}

// fakeGo is the Go command with the world's modules.
func fakeGo(w World, args []string) int {
	mods := map[string]Module{}
	w.Get("modules", &mods)
	switch {
	case args[0] == "env" && args[1] == "GOVERSION":
		fmt.Println("go1.26.8")
	case args[0] == "env" && args[1] == "GOCACHE":
		fmt.Println(filepath.Join(w.Dir, "gocache"))
	case args[0] == "env":
		fmt.Println(strings.Join(args[1:], "\n"))
	case args[0] == "list" && slices.Contains(args, "-versions"):
		return fakeVersions(mods, args[len(args)-1])
	case args[0] == "list" && slices.Contains(args, "-m"):
		return fakeModules(w, mods, args[len(args)-1:], true)
	case args[0] == "mod":
		return fakeModules(w, mods, args[3:], false)
	case args[0] == "list":
		fmt.Println("a\nb\nc")
	case args[0] == "build":
		return fakeBuild(w, args)
	default:
		fmt.Fprintln(os.Stderr, "go: unknown command", args)
		return 2
	}
	return 0
}

func fakeVersions(mods map[string]Module, module string) int {
	var versions []string
	for name, m := range mods {
		if p, v, _ := strings.Cut(name, "@"); p == module && !m.Unlisted {
			versions = append(versions, v)
		}
	}
	semver.Sort(versions)
	data, err := json.Marshal(map[string]any{"Path": module, "Versions": versions})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(data))
	return 0
}

// fakeModules answers "list -m" (with an error object) and "mod download"
// (with an error text, and failing).
func fakeModules(w World, mods map[string]Module, names []string, list bool) int {
	code := 0
	for _, name := range names {
		p, v, _ := strings.Cut(name, "@")
		answer := map[string]any{"Path": p, "Version": v}
		m, ok := mods[name]
		if !ok && p != "sigs.k8s.io/kind" {
			m.Err = name + ": reading it: 403 Forbidden\n\tserver response: This module version is not available."
		}
		switch {
		case m.Err != "" && list:
			answer["Error"] = map[string]string{"Err": m.Err}
		case m.Err != "":
			answer["Error"], code = m.Err, 1
		case list:
			answer["GoVersion"], answer["Time"] = cmp.Or(m.Go, "1.21"), cmp.Or(m.Time, "2024-10-22T20:26:26Z")
			if m.Commit != "none" {
				answer["Origin"] = map[string]string{"Hash": cmp.Or(m.Commit, "8418")}
			}
		default:
			answer["Dir"] = filepath.Join(w.Dir, "kind")
			answer["GoMod"] = filepath.Join(w.Dir, strings.ReplaceAll(name, "/", "_")+".mod")
			if err := os.WriteFile(answer["GoMod"].(string), []byte(m.Mod), 0o644); err != nil {
				panic(err)
			}
		}
		data, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(data))
	}
	return code
}

// fakeBuild makes a script of every package.
func fakeBuild(w World, args []string) int {
	companions := []string{"pause:3.9", "etcd:3.5.15-0", "coredns/coredns:v1.10.1"}
	w.Get("kubeadm", &companions)
	out := args[slices.Index(args, "-o")+1]
	for _, pkg := range args[slices.Index(args, "-o")+2:] {
		name, script := path.Base(pkg), "#!/bin/sh\n"
		switch name {
		case ".":
			name = "build"
		case "v3":
			name = "server"
		case "ctr":
			script += `echo '{"process":{"args":["sh"],"rlimits":[{}]}}'` + "\n"
		case "kubeadm":
			for _, c := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
				script += "echo registry.k8s.io/" + c + ":$5\n"
			}
			for _, name := range companions {
				script += "echo registry.k8s.io/" + name + "\n"
			}
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(script), 0o755); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, pkg)
	}
	return 0
}
