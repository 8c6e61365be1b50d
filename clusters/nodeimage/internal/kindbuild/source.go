package kindbuild

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// ErrBadSource says that a text names nothing that an image can be built from.
var ErrBadSource = errors.New("nothing to build a node image from")

// The kinds of a Source.
const (
	// Release is a released version, downloaded from where Kubernetes
	// publishes it.
	Release = "release"
	// URL is an archive like that of a release, kubernetes-server-*.tar.gz.
	URL = "URL"
	// File is such an archive on this machine.
	File = "file"
	// Tree is a source tree of Kubernetes, which its own makefile builds.
	Tree = "source tree"
)

// Source is what a node image is built from.
type Source struct {
	// Kind is Release, URL, File or Tree.
	Kind string
	// Where is the URL, or the absolute path of the file or folder; empty for a
	// release.
	Where string
}

// String names the source for people.
func (s Source) String() string {
	if s.Kind == Release {
		return "the release"
	}
	return "the " + s.Kind + " " + s.Where
}

// ParseSource reads "release", a URL, or the path of an archive or of a source
// tree. Another text is an ErrBadSource, which says what would do.
func ParseSource(text string) (Source, error) {
	if text == Release {
		return Source{Kind: Release}, nil
	}
	if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return Source{Kind: URL, Where: text}, nil
	}
	info, err := os.Stat(text)
	if err != nil {
		return Source{}, fmt.Errorf("%w: %q is no file or folder; write \"release\" or \"modules\", the URL or path of a kubernetes-server-*.tar.gz, or the folder of a source tree of Kubernetes", ErrBadSource, text)
	}
	where, err := filepath.Abs(text)
	if err != nil {
		return Source{}, fmt.Errorf("finding %s: %w", text, err)
	}
	if !info.IsDir() {
		return Source{Kind: File, Where: where}, nil
	}
	goMod, err := os.ReadFile(filepath.Join(where, "go.mod"))
	if err != nil || !strings.Contains(string(goMod), "module k8s.io/kubernetes\n") {
		return Source{}, fmt.Errorf("%w: the folder %s is no source tree of Kubernetes: it has no go.mod of the module k8s.io/kubernetes", ErrBadSource, where)
	}
	return Source{Kind: Tree, Where: where}, nil
}

// Name gives a built image its name: built is the version of Kubernetes in it,
// such as "v1.29.3" or "v1.31.0-alpha.1.15+abc". It fails if that is not what
// was wanted.
type Name func(built string) (ref string, err error)
