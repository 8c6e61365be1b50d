package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// server is an API server that has ConfigMaps: it refuses the field "bad" where
// it is asked to be strict, and warns of it otherwise.
type server struct {
	mu      sync.Mutex
	objects map[string]map[string]any
	broken  bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/api":
		answer(w, 200, map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
	case r.URL.Path == "/apis":
		answer(w, 200, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}})
	case r.URL.Path == "/api/v1":
		answer(w, 200, map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			map[string]any{"name": "configmaps", "namespaced": true, "kind": "ConfigMap", "verbs": []string{"create", "get", "patch"}}}})
	case s.broken:
		answer(w, 500, status(500, "InternalError", "etcd is away"))
	default:
		s.object(w, r)
	}
}

func (s *server) object(w http.ResponseWriter, r *http.Request) {
	var object map[string]any
	body, err := io.ReadAll(r.Body)
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &object)
	}
	if err != nil {
		answer(w, 400, status(400, "BadRequest", err.Error()))
		return
	}
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if object["bad"] != nil {
		problem := `unknown field "bad"`
		if r.URL.Query().Get("fieldValidation") == "Strict" {
			answer(w, 400, status(400, "BadRequest", "strict decoding error: "+problem))
			return
		}
		w.Header().Add("Warning", fmt.Sprintf("299 - %q", problem))
	}
	switch r.Method {
	case http.MethodPost:
		meta := object["metadata"].(map[string]any)
		name = meta["name"].(string)
		if s.objects[name] != nil {
			answer(w, 409, status(409, "AlreadyExists", name+" already exists"))
			return
		}
		meta["uid"], meta["resourceVersion"], meta["namespace"] = "u1", "1", "ns"
		s.objects[name] = object
		answer(w, 201, object)
	case http.MethodGet:
		answer(w, 200, s.objects[name])
	case http.MethodPatch:
		old := s.objects[name]
		if !cmp.Equal(old["data"], object["data"]) {
			copied := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": object["data"],
				"metadata": map[string]any{"name": name, "namespace": "ns", "uid": "u1", "resourceVersion": "2"}}
			s.objects[name] = copied
		}
		answer(w, 200, s.objects[name])
	}
}

func status(code int, reason, message string) map[string]any {
	return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
}

func answer(w http.ResponseWriter, code int, v any) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

func configMap(name, rest string) step.Manifest {
	return step.Manifest{Name: "m", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n" + rest}
}

func TestApply(t *testing.T) {
	s := &server{objects: map[string]map[string]any{}}
	listening := httptest.NewServer(s)
	defer listening.Close()
	config := &rest.Config{Host: listening.URL}
	client, err := objects.New(config)
	if err != nil {
		t.Fatal(err)
	}
	applier := New(client)
	tests := []struct {
		name       string
		manifest   step.Manifest
		validation string
		want       []string
		warnings   []string
		refused    string
	}{
		{"new", configMap("a", "data: {k: v}\n"), "Strict", []string{"created"}, nil, ""},
		{"the same again", configMap("a", "data: {k: v}\n"), "Strict", []string{"unchanged"}, nil, ""},
		{"changed", configMap("a", "data: {k: w}\n"), "Strict", []string{"configured"}, nil, ""},
		{"strict", configMap("b", "bad: 1\n"), "Strict", nil, nil, `strict decoding error: unknown field "bad"`},
		{"lenient", configMap("b", "bad: 1\n"), "Warn", []string{"created"}, []string{`unknown field "bad"`}, ""},
		{"a kind it has not", step.Manifest{Name: "m", Text: "apiVersion: x/v1\nkind: Thing\nmetadata: {name: a}\n"}, "Strict", nil, nil, `no matches for kind "Thing"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := applier.Do(t.Context(), Request{Namespace: "ns", Manifests: []step.Manifest{tt.manifest}, FieldValidation: tt.validation})
			var refused *failure.Rejection
			if tt.refused != "" {
				if !errors.As(err, &refused) || !strings.Contains(refused.Message, tt.refused) {
					t.Fatalf("error = %v, want a refusal with %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.Actions); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.warnings, out.Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
	s.mu.Lock()
	s.broken = true
	s.mu.Unlock()
	_, err = applier.Do(t.Context(), Request{Namespace: "ns", Manifests: []step.Manifest{configMap("c", "")}})
	var refused *failure.Rejection
	if err == nil || errors.As(err, &refused) {
		t.Errorf("a server that fails gave %v, want an error that is no refusal", err)
	}
}
