package kind

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// fakeState names the folder in which the fake engine keeps its containers.
const fakeState = "LAB_FAKE_ENGINE"

// TestMain is the fake engine's client when it is called as docker.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "docker" {
		os.Exit(fakeDocker(os.Getenv(fakeState), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// behaviour is how a fake engine acts.
type behaviour struct {
	// RunTakes is how long a container takes to be made; it is made even if
	// the client is killed meanwhile.
	RunTakes time.Duration
	// RunFails is what the engine answers instead of making one.
	RunFails string
	// Kubeadm is "", "hang" or what it writes before it fails.
	Kubeadm string
	// Journal is the kubelet's, Log the API server's.
	Journal, Log string
	// Images are ids by reference.
	Images map[string]string
	// AdminConf is the cluster's kubeconfig, Port its API server's.
	AdminConf, Port string
	// RmFails makes removing fail.
	RmFails bool
}

// fakeEngine is a docker client on the PATH whose containers are files.
type fakeEngine struct {
	t   *testing.T
	dir string
}

func newFakeEngine(t *testing.T, b behaviour) *fakeEngine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "docker")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(fakeState, dir)
	f := &fakeEngine{t: t, dir: dir}
	f.behave(b)
	return f
}

func (f *fakeEngine) behave(b behaviour) {
	text, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(filepath.Join(f.dir, "behaviour"), text, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fakeEngine) engine() clusters.Engine { return clusters.Engine{Name: "docker"} }

// left are the containers and volumes that there are.
func (f *fakeEngine) left() []string {
	found, err := filepath.Glob(filepath.Join(f.dir, "*.*"))
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// calls are the command lines that the engine got, without its name.
func (f *fakeEngine) calls() []string {
	text, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (f *fakeEngine) add(name, cluster, role string) {
	if err := addContainer(f.dir, name, map[string]string{clusterLabel: cluster, roleLabel: role}); err != nil {
		f.t.Fatal(err)
	}
}

func addContainer(dir, name string, labels map[string]string) error {
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	c := map[string]any{
		"Id": id, "Name": "/" + name, "Created": time.Now(),
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

// fakeDocker does what the commands do that the library and this package run.
func fakeDocker(dir string, args []string) int {
	var b behaviour
	text, err := os.ReadFile(filepath.Join(dir, "behaviour"))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return fail("fake engine: %v", err)
	}
	if log, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(log, strings.ReplaceAll(strings.Join(args, " "), "\n", " "))
		log.Close()
	}
	switch args[0] {
	case "info":
		fmt.Println(`{"CgroupVersion":"2","CgroupDriver":"systemd"}`)
	case "ps":
		return fakePs(dir, args)
	case "container":
		return fakeInspect(dir, args[2:])
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

func fakePs(dir string, args []string) int {
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
		text, err := os.ReadFile(filepath.Join(dir, id+".container"))
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

func (b behaviour) fakeKindInspect(args []string) int {
	line := strings.Join(args, " ")
	switch {
	case slices.Contains(args, "--type=image"):
		if _, found := b.Images[args[len(args)-1]]; !found {
			return 1
		}
	case strings.Contains(line, roleLabel):
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

func (b behaviour) fakeRun(dir string, args []string) int {
	if b.RunFails != "" {
		return fail("%s", b.RunFails)
	}
	<-time.After(b.RunTakes)
	labels := map[string]string{}
	for i, a := range args {
		if a == "--label" {
			key, value, _ := strings.Cut(args[i+1], "=")
			labels[key] = value
		}
	}
	if err := addContainer(dir, args[slices.Index(args, "--name")+1], labels); err != nil {
		return fail("%v", err)
	}
	return 0
}

func (b behaviour) fakeRm(dir string, args []string) int {
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
			os.Remove(filepath.Join(dir, "v"+id+".volume"))
		}
	}
	return 0
}

func fakeVolume(dir string, args []string) int {
	if args[0] == "rm" {
		for _, name := range args[1:] {
			os.Remove(filepath.Join(dir, name+".volume"))
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
func (b behaviour) fakeExec(args []string) int {
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "lab-") })
	if at < 0 {
		return fail("Error: No such container")
	}
	cmd := args[at+1:]
	line := strings.Join(cmd, " ")
	switch {
	case line == "cat /kind/version":
		fmt.Println("v1.28.15")
	case line == "cat /kind/manifests/default-cni.yaml", line == "cat /etc/containerd/config.toml":
		fmt.Println("version = 2")
	case line == "cat /etc/kubernetes/admin.conf":
		fmt.Print(b.AdminConf)
	case cmd[0] == "kubeadm" && b.Kubeadm == "hang":
		select {}
	case cmd[0] == "kubeadm" && b.Kubeadm != "":
		return fail("%s", b.Kubeadm)
	case cmd[0] == "journalctl":
		fmt.Print(b.Journal)
		if slices.Contains(cmd, "--follow") {
			select {}
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
