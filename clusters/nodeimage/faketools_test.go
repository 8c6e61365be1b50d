package nodeimage

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// fakeModule is a module version; one with an Err cannot be had.
type fakeModule struct {
	Err string
	Mod string
	// Unlisted is left out of the module's list of versions.
	Unlisted bool
}

// fakeGo is the Go command with the world's modules.
func fakeGo(w world, args []string) int {
	mods := map[string]fakeModule{}
	w.get("modules", &mods)
	switch {
	case args[0] == "env" && args[1] == "GOVERSION":
		fmt.Println("go1.26.8")
	case args[0] == "env" && args[1] == "GOCACHE":
		fmt.Println(filepath.Join(w.dir, "gocache"))
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
		return fakeBuild(args)
	default:
		fmt.Fprintln(os.Stderr, "go: unknown command", args)
		return 2
	}
	return 0
}

func fakeVersions(mods map[string]fakeModule, module string) int {
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
func fakeModules(w world, mods map[string]fakeModule, names []string, list bool) int {
	code := 0
	for _, name := range names {
		p, v, _ := strings.Cut(name, "@")
		answer := map[string]any{"Path": p, "Version": v}
		m, ok := mods[name]
		if !ok && p != kindModule {
			m.Err = name + ": reading it: 403 Forbidden\n\tserver response: This module version is not available."
		}
		switch {
		case m.Err != "" && list:
			answer["Error"] = map[string]string{"Err": m.Err}
		case m.Err != "":
			answer["Error"], code = m.Err, 1
		case list:
			answer["GoVersion"], answer["Time"] = "1.21", "2024-10-22T20:26:26Z"
			answer["Origin"] = map[string]string{"Hash": "8418"}
		default:
			answer["Dir"] = filepath.Join(w.dir, "kind")
			answer["GoMod"] = filepath.Join(w.dir, strings.ReplaceAll(name, "/", "_")+".mod")
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
func fakeBuild(args []string) int {
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
			script += "echo registry.k8s.io/pause:3.9\necho registry.k8s.io/etcd:3.5.15-0\necho registry.k8s.io/coredns/coredns:v1.10.1\n"
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(script), 0o755); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, pkg)
	}
	return 0
}

// fakeApt is apt-get, apt-cache and apt-config.
func fakeApt(_ world, args []string) int {
	switch args[0] {
	case "indextargets":
		fmt.Println("http://deb.example/debian trixie main\nhttp://deb.example/debian trixie-updates main\nhttp://sec.example/debian trixie main")
	case "show":
		fmt.Println("Package: busybox-static\nVersion: 1:1.35.0-4+b1\nDescription: x")
	case "download":
		if err := os.WriteFile(args[1]+"_1%3a1.35.0-4+b1_amd64.deb", []byte("deb"), 0o644); err != nil {
			panic(err)
		}
	}
	return 0
}

// fakeDpkg unpacks the only package there is.
func fakeDpkg(_ world, args []string) int {
	return fakeTree(args[2], map[string]string{"bin/busybox": "#!/bin/sh\nprintf 'busybox\\nsh\\nsleep\\nseq\\n'\n"}, nil)
}

// fakeDebootstrap makes a small root file system.
func fakeDebootstrap(_ world, args []string) int {
	root := args[len(args)-2]
	fmt.Println("I: Retrieving InRelease")
	return fakeTree(root, map[string]string{
		"usr/bin/dash": "dash", "usr/bin/ln": "ln", "usr/bin/kmod": "kmod", "usr/sbin/conntrack": "conntrack", "usr/sbin/ipset": "ipset",
		"usr/sbin/nft": "nft", "usr/sbin/xtables-legacy-multi": "legacy", "usr/sbin/xtables-nft-multi": "nft",
		"usr/lib/x86_64-linux-gnu/xtables/libxt_tcp.so": "so", "etc/systemd/journald.conf": "[Journal]\n",
		"etc/systemd/system/timers.target.wants/apt-daily.timer": "x", "etc/hostname": "builder", "dev/console": "x",
		"usr/share/doc/apt/copyright": "GPL", "usr/share/doc/apt/changelog": "x", "var/cache/apt/archives/apt.deb": "x",
	}, map[string]string{"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "usr/bin/sh": "dash", "usr/sbin/modprobe": "/bin/kmod"})
}

func fakeTree(root string, files, links map[string]string) int {
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
			panic(err)
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			panic(err)
		}
	}
	return 0
}

// fakeChroot runs what a build runs inside a root file system.
func fakeChroot(_ world, args []string) int {
	root, command := args[0], args[1:]
	switch command[0] {
	case "dpkg-query":
		fmt.Println("runc 1.1.5+ds1\nsystemd 252")
	case "systemctl":
		links := map[string]string{}
		dir := "etc/systemd/system/"
		for _, unit := range command[2:] {
			if command[1] == "enable" {
				dir = "etc/systemd/system/multi-user.target.wants/"
			}
			links[dir+unit] = "/etc/systemd/system/" + unit
		}
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			panic(err)
		}
		return fakeTree(root, nil, links)
	}
	return 0
}
