package fakehost

import (
	"fmt"
	"os"
	"path/filepath"
)

// fakeApt is apt-get, apt-cache and apt-config.
func fakeApt(w World, args []string) int {
	suite := "trixie"
	w.Get("suite", &suite)
	switch args[0] {
	case "indextargets":
		fmt.Printf("http://deb.example/debian %[1]s main\nhttp://deb.example/debian %[1]s-updates main\nhttp://sec.example/debian %[1]s main\n", suite)
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
func fakeDpkg(_ World, args []string) int {
	return Tree(args[2], map[string]string{"bin/busybox": "#!/bin/sh\nprintf 'busybox\\nsh\\nsleep\\nseq\\n'\n"}, nil)
}

// fakeDebootstrap makes a small root file system.
func fakeDebootstrap(_ World, args []string) int {
	root := args[len(args)-2]
	fmt.Println("I: Retrieving InRelease")
	return Tree(root, map[string]string{
		"usr/bin/dash": "dash", "usr/bin/ln": "ln", "usr/bin/kmod": "kmod", "usr/sbin/conntrack": "conntrack", "usr/sbin/ipset": "ipset",
		"usr/sbin/nft": "nft", "usr/sbin/xtables-legacy-multi": "legacy", "usr/sbin/xtables-nft-multi": "nft",
		"usr/lib/x86_64-linux-gnu/xtables/libxt_tcp.so": "so", "etc/systemd/journald.conf": "[Journal]\n",
		"etc/systemd/system/timers.target.wants/apt-daily.timer": "x", "etc/hostname": "builder", "dev/console": "x",
		"usr/share/doc/apt/copyright": "GPL", "usr/share/doc/apt/changelog": "x", "var/cache/apt/archives/apt.deb": "x",
	}, map[string]string{"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "usr/bin/sh": "dash", "usr/sbin/modprobe": "/bin/kmod"})
}

// Tree writes files and symbolic links below a folder and returns 0.
func Tree(root string, files, links map[string]string) int {
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
func fakeChroot(_ World, args []string) int {
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
		return Tree(root, nil, links)
	}
	return 0
}
