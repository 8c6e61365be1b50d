package fakehost

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// releaseImages are the images of a release, such as "v1.28.15".
func releaseImages(version string) []string {
	tag := strings.ReplaceAll(version, "+", "_") // as kubeadm does
	var found []string
	for _, component := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		found = append(found, "registry.k8s.io/"+component+":"+tag)
	}
	return found
}

// releaseFiles are the files of a release's archive below its folder of
// programs. The images bear the processor in their names, as those of releases
// do.
func releaseFiles(version string) map[string][]byte {
	files := map[string][]byte{}
	for _, program := range []string{"kubeadm", "kubelet", "kubectl"} {
		files[program] = []byte(program)
	}
	for _, image := range releaseImages(version) {
		repository, tag, _ := strings.Cut(image, ":")
		manifest := fmt.Sprintf(`[{"Config":"c.json","RepoTags":["%s-%s:%s"],"Layers":[]}]`, repository, runtime.GOARCH, tag)
		files[filepath.Base(repository)+".tar"] = tarOf(map[string][]byte{"manifest.json": []byte(manifest)})
	}
	return files
}

// ReleaseArchive is the archive kubernetes-server-linux-*.tar.gz of a release,
// such as "v1.28.15".
func ReleaseArchive(version string) []byte {
	files := map[string][]byte{"kubernetes/version": []byte(version + "\n")}
	for name, data := range releaseFiles(version) {
		files["kubernetes/server/bin/"+name] = data
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(tarOf(files)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func tarOf(files map[string][]byte) []byte {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for name, data := range files {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			panic(err)
		}
		if _, err := t.Write(data); err != nil {
			panic(err)
		}
	}
	if err := t.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Published are the files of a server by their path, for some releases such as
// "1.28.15"; the last one is the newest of all, and of its minor version.
func Published(versions ...string) map[string][]byte {
	files := map[string][]byte{}
	for _, v := range versions {
		archive := ReleaseArchive("v" + v)
		name := fmt.Sprintf("/v%s/kubernetes-server-linux-%s.tar.gz", v, runtime.GOARCH)
		files[name], files[name+".sha512"] = archive, fmt.Appendf(nil, "%x", sha512.Sum512(archive))
		minor := v[:strings.LastIndex(v, ".")]
		files["/release/stable-"+minor+".txt"], files["/release/stable.txt"] = []byte("v"+v), []byte("v"+v)
	}
	return files
}

// Serve serves files by their path and returns the server's address.
func Serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		if r.Method == http.MethodGet {
			if _, err := w.Write(data); err != nil {
				return // the client has gone
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// KindImages puts kind's base image into the engine, and lets the registry have
// it and the images that kind's builder pulls.
func (w World) KindImages(base string) {
	var e Engine
	w.Change("engine", &e, func() {
		e.Images[base] = Image{ID: "base"}
		e.Remote = append(e.Remote, "docker.io/kindest/*", "registry.k8s.io/pause:3.10", "registry.k8s.io/etcd:3.5.15-0", "registry.k8s.io/coredns/coredns:v1.10.1")
	})
}

// KubernetesTree makes a source tree of Kubernetes in the world and returns its folder.
func (w World) KubernetesTree(t *testing.T, version string) string {
	t.Helper()
	w.Write(t, "kubernetes/go.mod", "module k8s.io/kubernetes\n\ngo 1.21\n")
	w.Write(t, "kubernetes/hack/print-workspace-status.sh", "#!/bin/sh\necho gitCommit 0123\necho gitVersion "+version+"\n")
	w.Write(t, "kubernetes/version", version)
	dir := filepath.Join(w.Dir, "kubernetes")
	if err := os.Chmod(filepath.Join(dir, "hack", "print-workspace-status.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fakeMake is the makefile of Kubernetes, for what kind's builder makes.
func fakeMake(_ World, args []string) int {
	dir := args[1]
	version, err := os.ReadFile(filepath.Join(dir, "version"))
	if err != nil {
		return complain(err.Error())
	}
	fmt.Println("+++ Building go targets for linux/" + runtime.GOARCH)
	for name, data := range releaseFiles(string(version)) {
		to := filepath.Join(dir, "_output", "dockerized", "bin", "linux", runtime.GOARCH, name)
		if strings.HasSuffix(name, ".tar") {
			to = filepath.Join(dir, "_output", "release-images", runtime.GOARCH, name)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return complain(err.Error())
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			return complain(err.Error())
		}
	}
	return 0
}
