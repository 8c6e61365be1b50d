package nodeimage

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// fakeEngine is what the fake container engine holds.
type fakeEngine struct {
	Images     map[string]fakeImage // by reference, or by ID where there is none
	Containers map[string]fakeContainer
	// Remote are the images of the registry. Without any it does not answer.
	Remote []string
	// Stubborn are images that cannot be removed.
	Stubborn []string
	Serial   int
}

type fakeImage struct {
	ID      string
	Labels  map[string]string
	Created string
	Tagged  string
	// Files are paths in it, Inner the images in its containerd.
	Files, Inner []string
}

type fakeContainer struct {
	Image        fakeImage
	Running      bool
	Files, Inner []string
}

// fakeDocker is the engine's command line.
func fakeDocker(w world, args []string) int {
	var e fakeEngine
	code := 0
	w.change("engine", &e, func() { code = e.do(args) })
	return code
}

func (e *fakeEngine) do(args []string) int {
	last := args[len(args)-1]
	switch strings.Join(args[:min(2, len(args))], " ") {
	case "image inspect":
		return e.inspect(args[2:])
	case "image ls":
		e.ls(last, slices.Contains(args, "{{.ID}} {{.Repository}}:{{.Tag}}"))
		return 0
	case "image load":
		return e.load()
	case "image rm":
		return e.rmImage(last)
	case "container inspect":
		for _, name := range args[4:] {
			fmt.Println(e.Containers[name].Image.ID, "/"+name)
		}
		return 0
	}
	switch args[0] {
	case "pull":
		return e.pull(last)
	case "import":
		e.Serial++
		id := fmt.Sprintf("sha256:%d", e.Serial)
		e.Images[id] = fakeImage{ID: id, Labels: labels(args), Files: tarNames(os.Stdin), Created: "2026-01-02T03:04:05Z"}
		fmt.Println(id)
	case "tag":
		e.Images[last] = e.Images[args[1]]
		delete(e.Images, args[1])
	case "ps":
		e.ps(args)
	case "info":
		fmt.Println("/")
	default:
		return e.container(args)
	}
	return 0
}

// container are the commands that are about one container.
func (e *fakeEngine) container(args []string) int {
	last := args[len(args)-1]
	switch args[0] {
	case "run":
		name := args[slices.Index(args, "--name")+1]
		image, ok := e.Images[last]
		if !ok {
			return complain("Unable to find image '" + last + "' locally")
		}
		e.Containers[name] = fakeContainer{Image: image, Running: true}
	case "cp":
		name := strings.TrimSuffix(last, ":/")
		c := e.Containers[name]
		c.Files = append(c.Files, tarNames(os.Stdin)...)
		e.Containers[name] = c
	case "exec":
		return e.exec(args)
	case "kill":
		c := e.Containers[last]
		c.Running = false
		e.Containers[last] = c
	case "commit":
		c := e.Containers[args[len(args)-2]]
		if c.Running {
			return complain("the store may be open")
		}
		e.Serial++
		if before, ok := e.Images[last]; ok { // it loses its name
			e.Images[before.ID] = before
		}
		all := maps.Clone(c.Image.Labels)
		maps.Copy(all, labels(args))
		e.Images[last] = fakeImage{
			ID: fmt.Sprintf("sha256:%d", e.Serial), Labels: all, Created: "2026-01-02T03:04:06Z",
			Files: append(slices.Clone(c.Image.Files), c.Files...), Inner: c.Inner,
		}
	case "rm":
		if _, ok := e.Containers[last]; !ok {
			return complain("Error response from daemon: No such container: " + last)
		}
		delete(e.Containers, last)
	}
	return 0
}

// exec runs ctr in a container.
func (e *fakeEngine) exec(args []string) int {
	i := slices.Index(args, "ctr")
	name := args[i-1]
	c := e.Containers[name]
	switch line := strings.Join(args[i:], " "); {
	case strings.Contains(line, "images import"):
		var index struct {
			Manifests []struct{ Annotations map[string]string }
		}
		if err := json.Unmarshal(tarFile(os.Stdin, "index.json"), &index); err != nil {
			return complain(err.Error())
		}
		for _, m := range index.Manifests {
			c.Inner = append(c.Inner, m.Annotations["io.containerd.image.name"])
		}
		e.Containers[name] = c
	case strings.Contains(line, "images list"):
		fmt.Println(strings.Join(c.Inner, "\n"))
	}
	return 0
}

func (e *fakeEngine) inspect(refs []string) int {
	found, code := []map[string]any{}, 0
	for _, ref := range refs {
		image, ok := e.Images[ref]
		if !ok {
			code = complain("Error response from daemon: No such image: " + ref)
			continue
		}
		described := map[string]any{"Id": image.ID, "Created": image.Created, "Size": 1000, "Config": map[string]any{"Labels": image.Labels}}
		if image.Tagged != "" {
			described["Metadata"] = map[string]string{"LastTagTime": image.Tagged}
		}
		found = append(found, described)
	}
	data, err := json.Marshal(found)
	if err != nil {
		return complain(err.Error())
	}
	fmt.Println(string(data))
	return code
}

func (e *fakeEngine) ls(filter string, withID bool) {
	for ref, image := range e.Images {
		label, byLabel := strings.CutPrefix(filter, "label=")
		_, has := image.Labels[label]
		if byLabel && has || !byLabel && strings.HasPrefix(ref, strings.TrimPrefix(filter, "reference=")+":") {
			if ref == image.ID {
				ref = "<none>:<none>"
			}
			if withID {
				ref = image.ID + " " + ref
			}
			fmt.Println(ref)
		}
	}
}

func (e *fakeEngine) load() int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return complain(err.Error())
	}
	var manifests []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(tarFile(bytes.NewReader(data), "manifest.json"), &manifests); err != nil {
		return complain(err.Error())
	}
	for _, m := range manifests {
		var config struct {
			Config struct{ Labels map[string]string }
		}
		if err := json.Unmarshal(tarFile(bytes.NewReader(data), m.Config), &config); err != nil {
			return complain(err.Error())
		}
		for _, tag := range m.RepoTags {
			e.Serial++
			files := tarNames(bytes.NewReader(tarFile(bytes.NewReader(data), m.Layers[0])))
			e.Images[tag] = fakeImage{ID: fmt.Sprintf("sha256:%d", e.Serial), Labels: config.Config.Labels, Created: "1970-01-01T00:00:00Z", Files: files}
		}
	}
	return 0
}

func (e *fakeEngine) rmImage(ref string) int {
	if slices.Contains(e.Stubborn, ref) {
		return complain("Error response from daemon: conflict: unable to remove repository reference")
	}
	delete(e.Images, ref)
	return 0
}

func (e *fakeEngine) pull(ref string) int {
	switch {
	case len(e.Remote) == 0:
		return complain(`Error response from daemon: Get "https://registry.example/v2/": dial tcp: lookup registry.example: no such host`)
	case !slices.Contains(e.Remote, ref):
		return complain("Error response from daemon: manifest for " + ref + " not found: manifest unknown: manifest unknown")
	}
	fmt.Println("1: Pulling from x")
	e.Serial++
	e.Images[ref] = fakeImage{ID: fmt.Sprintf("sha256:%d", e.Serial), Created: "2025-01-02T03:04:05Z"}
	return 0
}

func (e *fakeEngine) ps(args []string) {
	filter := regexp.MustCompile("")
	if i := slices.Index(args, "--filter"); i >= 0 {
		filter = regexp.MustCompile(strings.TrimPrefix(args[i+1], "name="))
	}
	for name := range e.Containers {
		if filter.MatchString(name) {
			fmt.Println(name)
		}
	}
}

// labels are those of a command line's changes.
func labels(args []string) map[string]string {
	found := map[string]string{}
	for _, arg := range args {
		if text, ok := strings.CutPrefix(arg, "LABEL "); ok {
			key, value, _ := strings.Cut(text, "=")
			found[key] = strings.Trim(value, `"`)
		}
	}
	return found
}

func complain(text string) int {
	fmt.Fprintln(os.Stderr, text)
	return 1
}

// tarNames are the paths in a tar stream.
func tarNames(r io.Reader) []string {
	var names []string
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			panic(err)
		}
		names = append(names, path.Clean(h.Name))
	}
}

// tarFile is the content of one file of a tar stream, which is read to its
// end.
func tarFile(r io.Reader, name string) []byte {
	var data []byte
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return data
		}
		if err != nil {
			panic(err)
		}
		if h.Name == name {
			if data, err = io.ReadAll(in); err != nil {
				panic(err)
			}
		}
	}
}
