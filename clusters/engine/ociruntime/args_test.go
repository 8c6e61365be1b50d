package ociruntime

import "testing"

func TestSpecFile(t *testing.T) {
	for name, c := range map[string]struct {
		args        []string
		path        string
		processOnly bool
	}{
		"as containerd's shim creates": {
			args: []string{"--root", "/run/runc/moby", "--log", "/b/log.json", "--log-format", "json", "create", "--bundle", "/b", "--pid-file", "/b/init.pid", "id"},
			path: "/b/config.json",
		},
		"as containerd's shim executes": {
			args:        []string{"--root", "/run/runc/moby", "--log=/b/log.json", "--log-format", "json", "exec", "--process", "/tmp/p1", "--detach", "--pid-file", "/b/1.pid", "id"},
			path:        "/tmp/p1",
			processOnly: true,
		},
		"with equals signs":              {args: []string{"--systemd-cgroup", "create", "--bundle=/b", "id"}, path: "/b/config.json"},
		"short flags":                    {args: []string{"run", "-d", "-b", "/b", "id"}, path: "/b/config.json"},
		"single dashes":                  {args: []string{"-root", "/r", "create", "-bundle", "/b", "id"}, path: "/b/config.json"},
		"no bundle":                      {args: []string{"create", "id"}, path: "config.json"},
		"restore":                        {args: []string{"restore", "--image-path", "/i", "--bundle", "/b", "id"}, path: "/b/config.json"},
		"exec of a command line":         {args: []string{"exec", "--cwd", "/", "id", "sh", "--process", "/etc/passwd"}, processOnly: true},
		"a root that is named create":    {args: []string{"--root", "create", "delete", "id"}},
		"a bundle of a container's name": {args: []string{"create", "id", "--bundle", "/other"}, path: "config.json"},
		"end of flags":                   {args: []string{"create", "--", "--bundle", "/other"}, path: "config.json"},
		"a flag without its value":       {args: []string{"create", "--bundle"}, path: "config.json"},
		"other commands":                 {args: []string{"--root", "/r", "kill", "--all", "id", "9"}},
		"flags alone":                    {args: []string{"--version"}},
		"nothing":                        {},
		"a lonely dash":                  {args: []string{"-"}},
	} {
		t.Run(name, func(t *testing.T) {
			path, processOnly := parseArgs(c.args).specFile()
			if path != c.path || processOnly != c.processOnly {
				t.Errorf("got %q, process only %v; want %q, %v", path, processOnly, c.path, c.processOnly)
			}
		})
	}
}

func TestIsInvocation(t *testing.T) {
	for argv0, want := range map[string]bool{
		"/usr/local/libexec/lab/lab-runc": true, "lab-runc": true,
		"lab": false, "/lab-runc/lab": false, "": false, "lab-runc2": false,
	} {
		if got := IsInvocation(argv0); got != want {
			t.Errorf("IsInvocation(%q) = %v", argv0, got)
		}
	}
}
