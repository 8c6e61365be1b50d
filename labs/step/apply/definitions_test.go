package apply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// definer is an API server that has definitions and what they define: one thing
// after the other, and each only once it has been asked for it so often.
type definer struct {
	mu sync.Mutex
	// conditions are the definition's from one look to the next; the last stays.
	conditions []string
	// untilFound and untilServed are how often discovery and the handler of the
	// kind are asked in vain once the definition is established.
	untilFound, untilServed int
	defined, established    bool
	did                     []string
}

func (d *definer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	write := func(code int, text string) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
	const (
		group   = `{"name":"%","versions":[{"groupVersion":"%/v1","version":"v1"}],"preferredVersion":{"groupVersion":"%/v1","version":"v1"}}`
		missing = `{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"reason":"NotFound","message":"the server could not find the requested resource"}`
	)
	switch path := r.URL.Path; {
	case path == "/api":
		write(200, `{"kind":"APIVersions","versions":["v1"]}`)
	case path == "/api/v1":
		write(200, `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`)
	case path == "/apis":
		groups := strings.ReplaceAll(group, "%", "apiextensions.k8s.io")
		if d.established {
			if d.untilFound--; d.untilFound < 0 {
				groups += "," + strings.ReplaceAll(group, "%", "lab.example")
			}
		}
		write(200, `{"kind":"APIGroupList","apiVersion":"v1","groups":[`+groups+`]}`)
	case path == "/apis/apiextensions.k8s.io/v1":
		write(200, `{"kind":"APIResourceList","groupVersion":"apiextensions.k8s.io/v1","resources":[{"name":"customresourcedefinitions","kind":"CustomResourceDefinition","verbs":["create","get"]}]}`)
	case path == "/apis/lab.example/v1":
		write(200, `{"kind":"APIResourceList","groupVersion":"lab.example/v1","resources":[{"name":"widgets","namespaced":true,"kind":"Widget","verbs":["create","get","list"]}]}`)
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		d.did = append(d.did, "create "+path[strings.LastIndex(path, "/")+1:])
		d.defined = true
		write(201, string(body))
	case strings.HasSuffix(path, "/widgets"):
		if d.untilServed--; d.untilServed >= 0 {
			write(404, missing)
			return
		}
		write(200, `{"kind":"WidgetList","apiVersion":"lab.example/v1","metadata":{},"items":[]}`)
	default:
		is := d.conditions[0]
		if len(d.conditions) > 1 {
			d.conditions = d.conditions[1:]
		}
		d.established = strings.Contains(is, `"Established","status":"True"`)
		write(200, `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"widgets.lab.example"},"status":{"conditions":[`+is+`]}}`)
	}
}

const (
	definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.lab.example}\nspec: {group: lab.example, names: {kind: Widget}}\n"
	widget     = "apiVersion: lab.example/v1\nkind: Widget\nmetadata: {name: %}\n"
)

func TestAnObjectWaitsForItsDefinition(t *testing.T) {
	const established = `{"type":"Established","status":"True"}`
	for name, tt := range map[string]struct {
		conditions        []string
		untilFound, until int
		wrong             string
		fails             bool
	}{
		"served at once":            {conditions: []string{established}},
		"no conditions yet":         {conditions: []string{"", "", established}},
		"not established yet":       {conditions: []string{`{"type":"Established","status":"False"}`, established}},
		"discovery is late":         {conditions: []string{established}, untilFound: 3},
		"its handler is late":       {conditions: []string{established}, until: 2},
		"both are late":             {conditions: []string{"", established}, untilFound: 2, until: 2},
		"another has its names":     {conditions: []string{`{"type":"NamesAccepted","status":"False","message":"\"widgets\" is already in use"}`}, wrong: `does not serve Widget.lab.example: "widgets" is already in use`, fails: true},
		"never established":         {conditions: []string{""}, wrong: "waiting until the API server serves Widget.lab.example: context deadline exceeded: it is not Established"},
		"established, never served": {conditions: []string{established}, until: 1000, wrong: "it is Established, and there is no answer for it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &definer{conditions: tt.conditions, untilFound: tt.untilFound, untilServed: tt.until}
			listening := httptest.NewServer(server)
			defer listening.Close()
			client, err := objects.New(&rest.Config{Host: listening.URL, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			limit := 20 * time.Second
			if tt.wrong != "" && !tt.fails {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err = New(client).Do(ctx, Request{Namespace: "ns", FieldValidation: "Strict", Manifests: []step.Manifest{
				{Name: "m", Text: definition + "---\n" + strings.ReplaceAll(widget, "%", "a") + "---\n" + strings.ReplaceAll(widget, "%", "b")},
			}})
			did := strings.Join(server.did, ", ")
			if tt.wrong == "" {
				if err != nil || did != "create customresourcedefinitions, create widgets, create widgets" {
					t.Errorf("got %v; did %s", err, did)
				}
				return
			}
			var failed failure.Failure
			if err == nil || !strings.Contains(err.Error(), tt.wrong) || errors.As(err, &failed) != tt.fails || did != "create customresourcedefinitions" {
				t.Errorf("got %v, want %s; did %s", err, tt.wrong, did)
			}
		})
	}
}
