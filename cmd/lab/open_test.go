package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/document"
)

// TestOpenServesThePage opens a recording of the catalog, in a browser that asks
// for the page, then for what it must not get.
func TestOpenServesThePage(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("..", "..", "labs", "catalog", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, env: func(string) (string, bool) { return "", false }}
	var address string
	err = a.openPage(ctx, archives[0], opened{
		page: func(w io.Writer, d document.Document) error {
			_, err := fmt.Fprintf(w, "<p>pictures: %t", len(d.Pictures) > 0)
			return err
		},
		browse: func(url string) error {
			address = url
			checkServed(t, url)
			cancel()
			return errors.New("there is none")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), " is at "+address+" until Ctrl-C") || !strings.Contains(stderr.String(), "no browser could be opened: there is none") {
		t.Errorf("it prints %q and %q", stdout.String(), stderr.String())
	}
	if _, err := http.Get(address); err == nil {
		t.Error("it is still served")
	}
}

func checkServed(t *testing.T, url string) {
	t.Helper()
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("it is served at %s", url)
	}
	for _, tt := range []struct {
		path, host string
		status     int
		body       string
	}{
		{"", "", http.StatusOK, "<p>pictures: true"},
		{"favicon.ico", "", http.StatusNotFound, ""},
		{"", "evil.example", http.StatusMisdirectedRequest, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			request.Host = tt.host
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			continue
		}
		body, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Error(err)
		}
		if answer.StatusCode != tt.status || !strings.Contains(string(body), tt.body) {
			t.Errorf("%q of %q: %s, %q", tt.path, tt.host, answer.Status, body)
		}
	}
}
