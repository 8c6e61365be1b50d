package fakehost

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// container are the commands that are about one container.
func (e *Engine) container(args []string) int {
	last := args[len(args)-1]
	c := e.Containers[last]
	switch args[0] {
	case "run", "create":
		return e.start(args)
	case "cp":
		return e.cp(args[1], last)
	case "exec":
		return e.exec(args[1:])
	case "kill":
		c.Running = false
		e.Containers[last] = c
	case "commit":
		return e.commit(e.Containers[args[len(args)-2]], last, labels(args))
	case "rm":
		if _, ok := e.Containers[last]; !ok {
			return complain("Error response from daemon: No such container: " + last)
		}
		delete(e.Containers, last)
	}
	return 0
}

// start makes a container. containerd runs in it if that is its entrypoint.
func (e *Engine) start(args []string) int {
	var c Container
	name := ""
	found := false
	for i, arg := range args {
		switch image, ok := e.Images[arg]; {
		case ok:
			c.Image, found = image, true
		case arg == "--name":
			name = args[i+1]
		case strings.HasPrefix(arg, "--name="):
			name = strings.TrimPrefix(arg, "--name=")
		case arg == "--env":
			c.Env = append(c.Env, args[i+1])
		case arg == "containerd" && args[i-1] == "--entrypoint":
			c.Running = true
		}
	}
	if !found {
		return complain("Unable to find image '" + args[len(args)-1] + "' locally")
	}
	e.Containers[name] = c
	return 0
}

// cp copies a tar stream or a file into a container, or a file out of one.
func (e *Engine) cp(from, to string) int {
	if to == "-" {
		name, file, _ := strings.Cut(from, ":")
		c, ok := e.Containers[name]
		text, has := c.Image.Texts[file]
		if !ok || !has {
			return complain("Error response from daemon: Could not find the file " + file)
		}
		out := tar.NewWriter(os.Stdout)
		if err := out.WriteHeader(&tar.Header{Name: path.Base(file), Size: int64(len(text)), Mode: 0o644}); err != nil {
			return complain(err.Error())
		}
		if _, err := io.WriteString(out, text); err != nil {
			return complain(err.Error())
		}
		return complainOf(out.Close())
	}
	name, file, _ := strings.Cut(to, ":")
	c := e.Containers[name]
	if from == "-" {
		c.Files = append(c.Files, tarNames(os.Stdin)...)
	} else {
		if _, err := os.Stat(from); err != nil {
			return complain(err.Error())
		}
		c.Files = append(c.Files, strings.TrimPrefix(file, "/"))
	}
	e.Containers[name] = c
	return 0
}

// commit makes an image of a container, which loses nothing that it had.
func (e *Engine) commit(c Container, ref string, more map[string]string) int {
	if c.Running {
		return complain("the store may be open")
	}
	e.Serial++
	if before, ok := e.Images[ref]; ok { // it loses its name
		e.Images[before.ID] = before
	}
	e.Images[ref] = Image{
		ID: fmt.Sprintf("sha256:%d", e.Serial), Created: "2026-01-02T03:04:06Z",
		Labels: joined(c.Image.Labels, more), Texts: joined(c.Image.Texts, c.Texts),
		Files: append(slices.Clone(c.Image.Files), c.Files...), Inner: append(slices.Clone(c.Image.Inner), c.Inner...),
	}
	return 0
}

// joined are the values of both maps.
func joined(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for key, value := range m {
			all[key] = value
		}
	}
	return all
}

// exec runs a command in a container: what builds of node images run there.
func (e *Engine) exec(args []string) int {
	for strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	name, command := args[0], args[1:]
	c, ok := e.Containers[name]
	if !ok {
		return complain("Error response from daemon: No such container: " + name)
	}
	code := 0
	switch last := command[len(command)-1]; command[0] {
	case "ctr":
		code = e.ctr(&c, command)
	case "bash":
		c.Running = c.Running || strings.Contains(last, "nohup containerd")
	case "pkill":
		c.Running = false
	case "cat":
		fmt.Println(`sandbox_image = "registry.k8s.io/pause:3.10"`)
	case "kubeadm":
		for _, image := range append(releaseImages(last), "registry.k8s.io/pause:3.9", "registry.k8s.io/etcd:3.5.15-0", "registry.k8s.io/coredns/coredns:v1.10.1") {
			fmt.Println(image)
		}
	case "cp": // /dev/stdin to a file
		data, err := io.ReadAll(os.Stdin)
		if err != nil {
			return complain(err.Error())
		}
		c.Texts = joined(c.Texts, map[string]string{last: string(data)})
		c.Files = append(c.Files, strings.TrimPrefix(last, "/"))
	}
	e.Containers[name] = c
	return code
}

// ctr is containerd's command line in a container.
func (e *Engine) ctr(c *Container, command []string) int {
	last := command[len(command)-1]
	switch line := strings.Join(command, " "); {
	case strings.Contains(line, "images import"):
		return importImages(c)
	case strings.Contains(line, "content fetch"):
		if !e.serves(last) {
			return complain("ctr: failed to resolve reference " + last + ": dial tcp: lookup registry.example: no such host")
		}
		c.Inner = append(c.Inner, last)
	case strings.Contains(line, "images tag"):
		c.Inner = append(c.Inner, last)
	case strings.Contains(line, "images list"):
		fmt.Println(strings.Join(c.Inner, "\n"))
	}
	return 0
}

// importImages reads an archive with an OCI index, or one as docker saves it.
func importImages(c *Container) int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return complain(err.Error())
	}
	if text := tarFile(bytes.NewReader(data), "index.json"); len(text) > 0 {
		var index struct {
			Manifests []struct{ Annotations map[string]string }
		}
		if err := json.Unmarshal(text, &index); err != nil {
			return complain(err.Error())
		}
		for _, m := range index.Manifests {
			c.Inner = append(c.Inner, m.Annotations["io.containerd.image.name"])
		}
		return 0
	}
	var saved []struct{ RepoTags []string }
	if err := json.Unmarshal(tarFile(bytes.NewReader(data), "manifest.json"), &saved); err != nil {
		return complain(err.Error())
	}
	for _, m := range saved {
		c.Inner = append(c.Inner, m.RepoTags...)
	}
	return 0
}

// complainOf says what is wrong, if something is.
func complainOf(err error) int {
	if err == nil {
		return 0
	}
	return complain(err.Error())
}
