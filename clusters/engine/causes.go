package engine

import "strings"

// known is a failure that engines report in words that can be recognised.
type known struct {
	// words must all be there, in any case.
	words  []string
	cause  string
	remedy string
}

const tryEngineUp = "run `lab engine up` as root"

// knownFailures of starting a container or a command in one, the particular
// before the general.
func knownFailures() []known {
	return []known{
		{[]string{"unable to apply caps"},
			"this host lacks a capability, and the engine's runtime insists on giving a privileged container all of them",
			tryEngineUp + ": it registers an OCI runtime that asks for those only which the host has"},
		{[]string{"error setting", "rlimit"},
			"this host lacks CAP_SYS_RESOURCE, and the engine asks for higher resource limits than its own",
			tryEngineUp + ": it registers an OCI runtime that asks for what the host allows"},
		{[]string{"oom_score_adj"},
			"this host lacks CAP_SYS_RESOURCE, and a container asks for a lower OOM score than its engine has",
			tryEngineUp + ": it registers an OCI runtime that asks for what the host allows"},
		{[]string{runtimePath, "no such file"},
			"the engine's configuration names lab's OCI runtime, and that file is gone",
			tryEngineUp + ": it puts the file back"},
		{[]string{"permission denied", ".sock"},
			"this user may not speak to the engine",
			"run as root, or join the engine's group: `sudo usermod -aG docker $USER`, then log in again"},
		{[]string{"cannot connect to the docker daemon"},
			"no engine runs where the client looks for it",
			"run `lab engine up` as root, or start it: `systemctl start docker`"},
		{[]string{"no space left"},
			"the disk that the engine keeps images and containers on is full",
			"make room: `docker system df` tells what takes it, `lab image prune` and `docker system prune` free it"},
		{[]string{"could not find bridge"},
			"the engine's default bridge is gone: a second dockerd in the same network namespace takes it away, and so do some firewall tools",
			"restart the engine, which makes it anew: `systemctl restart docker`, or `kill $(cat " + daemonPID + ")` and `lab engine up`"},
		{[]string{"exec format error"},
			"the engine runs on another architecture than this program was built for",
			"use the program built for the engine's architecture"},
		{[]string{"iptables"},
			"the engine cannot set up the container's network: iptables does not work on this host",
			"try the other flavour: `update-alternatives --set iptables /usr/sbin/iptables-legacy` (or iptables-nft), then restart the engine"},
		{[]string{"mountpoint", "cgroup"},
			"the engine's runtime finds no cgroup hierarchy",
			"mount the cgroup file systems (Debian: the package cgroupfs-mount), then restart the engine"},
		{[]string{"operation not permitted"},
			"the engine itself is held down: it runs in a container or sandbox without the rights that nodes need",
			"run on a host, or in a container that is itself privileged"},
		{[]string{"deadline exceeded"},
			"the engine took longer than it was given",
			"see whether the machine is overloaded, and try again"},
	}
}

// registryFailures are those of asking a registry.
func registryFailures() []known {
	const local = "nothing, where node images may be built here: lab does so by itself, and pods' images are loaded into the nodes from the engine (`images` of a cluster). "
	return []known{
		{[]string{"toomanyrequests"}, "the registry limits how often it may be asked without an account", "`docker login`, or wait"},
		{[]string{"x509"}, "something between here and the registry shows a certificate that the engine does not trust", "give the engine that authority's certificate"},
		{[]string{"denied"}, "the registry refuses", "`docker login`"},
		{[]string{"proxyconnect"}, "the proxy of the engine's settings does not answer", local + "Else correct the engine's proxy settings"},
		{nil, "there is no way from the engine to the registry: node images cannot be pulled, and neither can pods' images in a cluster", local + "Else give the engine a network or a proxy"},
	}
}

// explain returns the cause and remedy of the first that fits, or empty ones.
func explain(list []known, text string) (cause, remedy string) {
	text = strings.ToLower(text)
	for _, k := range list {
		fits := true
		for _, word := range k.words {
			fits = fits && strings.Contains(text, word)
		}
		if fits {
			return k.cause, k.remedy
		}
	}
	return "", ""
}

// hint adds to the end of dockerd's log what is known of the failure in it.
func hint(log string) string {
	failures := []known{
		{[]string{"iptables"}, "", "iptables does not work here; try the other flavour: update-alternatives --set iptables /usr/sbin/iptables-legacy (or iptables-nft), then again"},
		{[]string{"cgroup", "mount"}, "", "the cgroup file systems are not mounted: apt-get install cgroupfs-mount && cgroupfs-mount, then again"},
		{[]string{"overlay", "not supported"}, "", "overlay2 does not work on the file system of /var/lib/docker; choose another with \"storage-driver\" in " + daemonConfig + " (vfs works everywhere, slowly), then again"},
		{[]string{"pid file found"}, "", "another dockerd runs, or one left its pid file: if none runs, remove " + daemonPID + ", then again"},
		{[]string{"specified both as a flag and in the configuration file"}, "", "a setting of " + daemonConfig + " is also on dockerd's command line: remove one of them, then again"},
		{[]string{"permission denied"}, "", "dockerd needs root with all of its rights; inside a container, that container must be privileged"},
		{[]string{"operation not permitted"}, "", "dockerd needs root with all of its rights; inside a container, that container must be privileged"},
	}
	if _, remedy := explain(failures, log); remedy != "" {
		return "\nremedy: " + remedy
	}
	return ""
}
