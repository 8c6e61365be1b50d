package kindbuild

import (
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

const (
	// releases is where Kubernetes publishes its releases.
	releases = "https://dl.k8s.io"
	// askTime bounds a question to a server.
	askTime = 4 * time.Second
	// archiveName is a downloaded archive, in the folder of its stage.
	archiveName = "kubernetes-server.tar.gz"
)

// Downloads are the releases of Kubernetes that can be downloaded.
type Downloads struct {
	// Base is the address below which they are.
	Base string
	// Patience bounds each question to the server.
	Patience time.Duration
}

// errNotThere says that a server answers, and does not have what was asked for.
var errNotThere = errors.New("it is not there")

// host is the server that an address leads to.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// archive is the address of a release for this processor.
func (d Downloads) archive(v clusters.Version) string {
	return fmt.Sprintf("%s/v%s/kubernetes-server-linux-%s.tar.gz", d.Base, v, runtime.GOARCH)
}

// newest is the newest release that a constraint allows and that is there. It
// fails if the server does not answer within d.Patience, or has none.
func (d Downloads) newest(ctx context.Context, c clusters.Constraint) (clusters.Version, error) {
	v, exact := c.Exact()
	if !exact {
		marker := d.Base + "/release/stable.txt"
		if minor, ok := c.Minor(); ok {
			marker = fmt.Sprintf("%s/release/stable-%d.%d.txt", d.Base, v.Major, minor)
		}
		text, err := d.text(ctx, marker)
		if err != nil {
			return clusters.Version{}, err
		}
		if v, err = clusters.ParseVersion(strings.TrimSpace(text)); err != nil || !c.Match(v) {
			return clusters.Version{}, fmt.Errorf("%s names %q as the newest release, which does not match %q", host(d.Base), strings.TrimSpace(text), c)
		}
	}
	asking, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	answer, err := fetch(asking, http.MethodHead, d.archive(v))
	if err != nil {
		return clusters.Version{}, fmt.Errorf("release %s: %w", v, err)
	}
	return v, answer.Body.Close()
}

// text is a short text at an address.
func (d Downloads) text(ctx context.Context, address string) (string, error) {
	asking, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	answer, err := fetch(asking, http.MethodGet, address)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", address, err)
	}
	return string(data), nil
}

// fetch asks a server. The error says in one line what became of it, and is an
// errNotThere if the server has nothing at the address.
func fetch(ctx context.Context, method, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	answer, err := http.DefaultClient.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s does not answer (%w)", host(address), err)
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusForbidden:
		err = fmt.Errorf("%s: %w (%s)", address, errNotThere, answer.Status)
	case answer.StatusCode != http.StatusOK:
		err = fmt.Errorf("%s: %s", address, answer.Status)
	default:
		return answer, nil
	}
	return nil, errors.Join(err, answer.Body.Close())
}

// stage downloads an archive. What is at an address that is no release's may
// change, so that the server's marks of its content are inputs too.
func stage(ctx context.Context, address, name string) (build.Stage, error) {
	answer, err := fetch(ctx, http.MethodHead, address)
	if err != nil {
		return build.Stage{}, err
	}
	if err := answer.Body.Close(); err != nil {
		return build.Stage{}, fmt.Errorf("asking %s: %w", address, err)
	}
	inputs := []string{address, answer.Header.Get("ETag"), answer.Header.Get("Last-Modified"), answer.Header.Get("Content-Length")}
	return build.Stage{
		Kind: "download", Name: name, Inputs: inputs,
		Make: func(ctx context.Context, dir string, say func(string)) error {
			return download(ctx, address, path.Join(dir, archiveName), say)
		},
	}, nil
}

// download writes what is at an address to a file, and compares it with the
// SHA-512 that is published beside a release.
func download(ctx context.Context, address, to string, say func(string)) (err error) {
	answer, err := fetch(ctx, http.MethodGet, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	f, err := os.Create(to)
	if err != nil {
		return fmt.Errorf("downloading %s: %w", address, store.SpaceError(err))
	}
	sum := sha512.New()
	_, err = io.Copy(io.MultiWriter(f, sum, &meter{say: say, total: answer.ContentLength}), answer.Body)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("downloading %s: %w", address, store.SpaceError(err))
	}
	published, err := fetch(ctx, http.MethodGet, address+".sha512")
	if errors.Is(err, errNotThere) {
		say("no checksum is published beside " + address)
		return nil
	}
	if err != nil {
		return err
	}
	defer published.Body.Close()
	text, err := io.ReadAll(io.LimitReader(published.Body, 4096))
	if err != nil {
		return fmt.Errorf("reading %s.sha512: %w", address, err)
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)), strings.Fields(string(text) + " none")[0]; got != want {
		return fmt.Errorf("downloading %s: its SHA-512 is %s, and %s is published; try again, and do not use it if that stays so", address, got, want)
	}
	return nil
}

// meter says how much was written to it.
type meter struct {
	say         func(string)
	done, total int64
}

func (m *meter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	text := fmt.Sprintf("%d MB", m.done/1_000_000)
	if m.total > 0 {
		text = fmt.Sprintf("%d of %d MB", m.done/1_000_000, m.total/1_000_000)
	}
	m.say(text)
	return len(b), nil
}
