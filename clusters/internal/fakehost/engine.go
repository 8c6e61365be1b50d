package fakehost

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Engine is what the fake container engine holds.
type Engine struct {
	Images     map[string]Image // by reference, or by ID where there is none
	Containers map[string]Container
	// Remote are the images of the registry; one with a * at its end is all
	// that begin so. Without any the registry does not answer.
	Remote []string
	// InUse are images that cannot be removed.
	InUse  []string
	Serial int
}

// Image is an image in the engine.
type Image struct {
	ID      string
	Labels  map[string]string
	Created string
	Tagged  string
	// Files are paths in it, Inner the images in its containerd.
	Files, Inner []string
	// Texts are the contents of small files that are written or read one by one.
	Texts map[string]string
}

// Container is a container in the engine.
type Container struct {
	Image Image
	// Running says that containerd runs in it: its store is open.
	Running bool
	// Files, Inner and Texts are what was added to those of the image.
	Files, Inner []string
	Texts        map[string]string
	Env          []string
}

// fakeDocker is the engine's command line.
func fakeDocker(w World, args []string) int {
	var e Engine
	code := 0
	w.Change("engine", &e, func() { code = e.do(args) })
	return code
}

func (e *Engine) do(args []string) int {
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
		if slices.Contains(args, "{{json .Config.Env}}") {
			fmt.Printf("%q\n", e.Containers[last].Env)
			return 0
		}
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
		e.Images[id] = Image{ID: id, Labels: labels(args), Files: tarNames(os.Stdin), Created: "2026-01-02T03:04:05Z"}
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

func (e *Engine) inspect(refs []string) int {
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

func (e *Engine) ls(filter string, withID bool) {
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

func (e *Engine) load() int {
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
			e.Images[tag] = Image{ID: fmt.Sprintf("sha256:%d", e.Serial), Labels: config.Config.Labels, Created: "1970-01-01T00:00:00Z", Files: files}
		}
	}
	return 0
}

func (e *Engine) rmImage(ref string) int {
	if slices.Contains(e.InUse, ref) {
		return complain("Error response from daemon: conflict: unable to remove repository reference")
	}
	delete(e.Images, ref)
	return 0
}

func (e *Engine) pull(ref string) int {
	switch {
	case len(e.Remote) == 0:
		return complain(`Error response from daemon: Get "https://registry.example/v2/": dial tcp: lookup registry.example: no such host`)
	case !e.serves(ref):
		return complain("Error response from daemon: manifest for " + ref + " not found: manifest unknown: manifest unknown")
	}
	fmt.Println("1: Pulling from x")
	e.Serial++
	e.Images[ref] = Image{ID: fmt.Sprintf("sha256:%d", e.Serial), Created: "2025-01-02T03:04:05Z"}
	return 0
}

func (e *Engine) ps(args []string) {
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

// serves says whether the registry has an image.
func (e *Engine) serves(ref string) bool {
	return slices.ContainsFunc(e.Remote, func(has string) bool {
		prefix, any := strings.CutSuffix(has, "*")
		return ref == has || any && strings.HasPrefix(ref, prefix)
	})
}
