// Package fakeengine is a container engine's client for tests: its containers
// are files, and it does what docker does as far as kind goes.
package fakeengine

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// State names the folder in which the fake engine keeps its containers.
const State = "LAB_FAKE_ENGINE"

// container is what inspect says, as far as the fake reads it itself.
type container struct {
	ID     string `json:"Id"`
	Name   string
	Config struct{ Labels map[string]string }
}

// Network is what a node image has as the manifest of its default pod network.
const Network = `{kind: ConfigMap, apiVersion: v1, metadata: {name: network, namespace: kube-system}, data: {podSubnet: "{{ .PodSubnet }}"}}`

// Behaviour is how a fake engine acts.
type Behaviour struct {
	// RunTakes is how long a container takes to be made; it is made even if
	// the client is killed meanwhile.
	RunTakes time.Duration
	// RunFails is what the engine answers instead of making one.
	RunFails string
	// Kubeadm is "", "hang" or what it writes before it fails.
	Kubeadm string
	// Journal is the kubelet's, Log the API server's.
	Journal, Log string
	// Images are ids by reference, each with the names of the image's labels after
	// it, a line each.
	Images map[string]string
	// AdminConf is the cluster's kubeconfig, Port its API server's.
	AdminConf, Port string
	// RmFails makes removing fail.
	RmFails bool
	// Frozen makes removing fail until a container was run with the freezer.
	Frozen bool
	// Going are the ids of containers that are just being removed: they are
	// listed, and cannot be looked at.
	Going []string
}

// AddContainer makes a container with a volume.
func AddContainer(dir, name string, labels map[string]string) error {
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	c := map[string]any{
		"Id": id, "Name": "/" + name, "Created": time.Now(), "Image": "sha256:node",
		"State":  map[string]any{"Status": "running", "Running": true},
		"Config": map[string]any{"Labels": labels},
		"Mounts": []map[string]string{{"Type": "volume", "Name": "v" + id}, {"Type": "bind", "Name": ""}},
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "v"+id+".volume"), nil, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, id+".container"), text, 0o600)
	}
	return err
}

// Main does what the commands do that kind and this project run, and returns
// the exit code. dir is where the containers are kept, and the Behaviour.
func Main(dir string, args []string) int {
	var b Behaviour
	text, err := os.ReadFile(filepath.Join(dir, "behaviour"))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return fail("fake engine: %v", err)
	}
	if log, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		_, err := fmt.Fprintln(log, strings.ReplaceAll(strings.Join(args, " "), "\n", " "))
		if err = errors.Join(err, log.Close()); err != nil {
			return fail("fake engine: %v", err)
		}
	}
	switch args[0] {
	case "info":
		fmt.Println(`{"CgroupVersion":"2","CgroupDriver":"systemd"}`)
	case "ps":
		return b.fakePs(dir, args)
	case "container":
		return fakeInspect(dir, args[2:])
	case "stop", "start", "restart", "pause", "unpause":
		return fakeNodeAction(dir, args[0], args[1])
	case "inspect":
		return b.fakeKindInspect(args)
	case "image":
		id, found := b.Images[args[len(args)-1]]
		if !found {
			return fail("Error: No such image: %s", args[len(args)-1])
		}
		fmt.Println(id)
	case "pull":
		return fail("Error response from daemon: manifest for %s not found", args[len(args)-1])
	case "network":
		fmt.Println("0123")
	case "run":
		return b.fakeRun(dir, args)
	case "logs":
		fmt.Println("INFO: detected cgroup v1")
	case "rm":
		return b.fakeRm(dir, args)
	case "volume":
		return fakeVolume(dir, args[1:])
	case "exec":
		return b.fakeExec(args[1:])
	case "save":
		fmt.Print("archive of " + strings.Join(args[1:], " "))
	}
	return 0
}

func fail(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	return 1
}

func containersIn(dir string) []container {
	files, _ := filepath.Glob(filepath.Join(dir, "*.container"))
	var list []container
	for _, file := range files {
		var c container
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &c) == nil {
			list = append(list, c)
		}
	}
	return list
}

func (b Behaviour) fakePs(dir string, args []string) int {
	if slices.Contains(args, "--quiet") {
		for _, id := range b.Going {
			fmt.Println(id)
		}
	}
	filter := args[slices.Index(args, "--filter")+1]
	key, value, exact := strings.Cut(strings.TrimPrefix(filter, "label="), "=")
	for _, c := range containersIn(dir) {
		label, has := c.Config.Labels[key]
		if !has || exact && label != value {
			continue
		}
		if slices.Contains(args, "--quiet") {
			fmt.Println(c.ID)
		} else {
			fmt.Println(strings.TrimPrefix(c.Name, "/"))
		}
	}
	return 0
}

func fakeInspect(dir string, ids []string) int {
	found := []json.RawMessage{}
	missing := 0
	for _, id := range ids {
		text, err := os.ReadFile(filepath.Join(dir, idOf(id)+".container"))
		if err != nil {
			missing = fail("Error: No such container: %s", id)
			continue
		}
		found = append(found, text)
	}
	out, err := json.Marshal(found)
	if err != nil {
		return fail("%v", err)
	}
	fmt.Println(string(out))
	return missing
}

// idOf is the id of the container with an id or a name.
func idOf(name string) string {
	if len(name) == 2*sha256.Size {
		return name
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
}

// fakeNodeAction changes a container's state.
func fakeNodeAction(dir, action, name string) int {
	file := filepath.Join(dir, idOf(name)+".container")
	text, err := os.ReadFile(file)
	if err != nil {
		return fail("Error response from daemon: No such container: %s", name)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return fail("%v", err)
	}
	status := map[string]string{"stop": "exited", "pause": "paused"}[action]
	if status == "" {
		status = "running"
	}
	all["State"] = map[string]any{"Status": status, "Running": status == "running"}
	if text, err = json.Marshal(all); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return fail("%v", err)
	}
	fmt.Println(name)
	return 0
}

func (b Behaviour) fakeKindInspect(args []string) int {
	line := strings.Join(args, " ")
	switch {
	case slices.Contains(args, "--type=image"):
		if _, found := b.Images[args[len(args)-1]]; !found {
			return 1
		}
	case strings.Contains(line, "io.x-k8s.kind.role"):
		_, role, _ := strings.Cut(args[len(args)-1], "-worker")
		if role == "" && !strings.HasSuffix(line, "-worker") {
			fmt.Println("control-plane")
		} else {
			fmt.Println("worker")
		}
	case strings.Contains(line, "IPAddress"):
		fmt.Println("172.18.0.2,")
	case strings.Contains(line, "desktop.docker.io"):
		fmt.Println("")
	case strings.Contains(line, "NetworkSettings.Ports"):
		fmt.Println("127.0.0.1\t" + b.Port)
	}
	return 0
}

func (b Behaviour) fakeRun(dir string, args []string) int {
	if b.RunFails != "" {
		return fail("%s", b.RunFails)
	}
	if slices.Contains(args, "/sys/fs/cgroup/freezer:/freezer") {
		if err := os.WriteFile(filepath.Join(dir, thawed), nil, 0o600); err != nil {
			return fail("%v", err)
		}
		return 0
	}
	<-time.After(b.RunTakes)
	labels := map[string]string{}
	for i, a := range args {
		if a == "--label" {
			key, value, _ := strings.Cut(args[i+1], "=")
			labels[key] = value
		}
	}
	if err := AddContainer(dir, args[slices.Index(args, "--name")+1], labels); err != nil {
		return fail("%v", err)
	}
	return 0
}

// thawed is the file that says that nothing is frozen any more.
const thawed = "thawed"

func (b Behaviour) fakeRm(dir string, args []string) int {
	if _, err := os.Stat(filepath.Join(dir, thawed)); b.Frozen && err != nil {
		return fail("Error response from daemon: Could not kill running container, cannot remove - tried to kill container, but did not receive an exit event")
	}
	if b.RmFails {
		return fail("Error response from daemon: device or resource busy")
	}
	for _, id := range args[1:] {
		if strings.HasPrefix(id, "-") {
			continue
		}
		if err := os.Remove(filepath.Join(dir, id+".container")); err != nil {
			return fail("Error: No such container: %s", id)
		}
		if slices.Contains(args, "--volumes") {
			dropVolume(dir, "v"+id)
		}
	}
	return 0
}

// dropVolume removes a volume, if it is there.
func dropVolume(dir, name string) {
	if err := os.Remove(filepath.Join(dir, name+".volume")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "fake engine:", err)
	}
}

func fakeVolume(dir string, args []string) int {
	if args[0] == "rm" {
		for _, name := range args[1:] {
			dropVolume(dir, name)
		}
		return 0
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.volume"))
	for _, file := range files {
		fmt.Println(strings.TrimSuffix(filepath.Base(file), ".volume"))
	}
	return 0
}

// fakeExec is a command in a node.
func (b Behaviour) fakeExec(args []string) int {
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "lab-") })
	if at < 0 {
		return fail("Error: No such container")
	}
	cmd := args[at+1:]
	line := strings.Join(cmd, " ")
	switch {
	case line == "cat /kind/version":
		fmt.Println("v1.28.15")
	case line == "cat /kind/manifests/default-cni.yaml":
		fmt.Print(Network)
	case line == "cat /etc/containerd/config.toml":
		fmt.Println("version = 2")
	case line == "cat /etc/kubernetes/admin.conf":
		fmt.Print(b.AdminConf)
	case cmd[0] == "kubeadm" && b.Kubeadm == "hang":
		<-time.After(time.Hour)
	case cmd[0] == "kubeadm" && b.Kubeadm != "":
		return fail("%s", b.Kubeadm)
	case strings.Contains(line, "journalctl"):
		fmt.Print(b.Journal)
		if strings.Contains(line, "--follow") {
			if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
				return fail("%v", err)
			}
		}
	case strings.Contains(line, "/var/log/pods"):
		fmt.Print(b.Log)
	case slices.Contains(args, "-i"), slices.Contains(args, "--interactive"):
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return fail("%v", err)
		}
	}
	return 0
}
