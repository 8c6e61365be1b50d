package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
)

// templates are kind's own, by the names of their constants: it does not export
// them.
func templates(t *testing.T) map[string]string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/cluster/internal/loadbalancer/config.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
			if found[spec.Names[0].Name], err = strconv.Unquote(text.Value); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	return found
}

// configured writes kind's configuration for a port and backends.
type configured struct {
	t         *testing.T
	dir       string
	templates map[string]string
}

func newConfigured(t *testing.T) configured {
	t.Helper()
	c := configured{t: t, dir: t.TempDir(), templates: templates(t)}
	c.write("cds.yaml", "resources: []")
	c.write("lds.yaml", "resources: []")
	c.write("envoy.yaml", fmt.Sprintf(c.templates["DynamicFilesystemConfigTemplate"], "lab", "lab-external-load-balancer", c.path("cds.yaml"), c.path("lds.yaml")))
	return c
}

func (c configured) path(name string) string { return filepath.Join(c.dir, name) }

func (c configured) write(name, text string) {
	c.t.Helper()
	err := os.WriteFile(c.path(name+".tmp"), []byte(text), 0o644)
	if err == nil {
		err = os.Rename(c.path(name+".tmp"), c.path(name))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c configured) configure(port int, backends ...string) {
	c.t.Helper()
	data := struct {
		ControlPlanePort int
		BackendServers   map[string]string
		IPv6             bool
	}{ControlPlanePort: port, BackendServers: map[string]string{}}
	for i, b := range backends {
		data.BackendServers[fmt.Sprint(i)] = b
	}
	hostPort := func(address string) (map[string]string, error) {
		host, port, err := net.SplitHostPort(address)
		return map[string]string{"host": host, "port": port}, err
	}
	for name, constant := range map[string]string{"cds.yaml": "ProxyCDSConfigTemplate", "lds.yaml": "ProxyLDSConfigTemplate"} {
		var text bytes.Buffer
		made, err := template.New(name).Funcs(template.FuncMap{"hostPort": hostPort}).Parse(c.templates[constant])
		if err == nil {
			err = made.Execute(&text, data)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		// As fast as a test: kind's own times are tested as they are read.
		c.write(name, strings.ReplaceAll(text.String(), "interval: 2s", "interval: 20ms"))
	}
}

// apiServer is a backend that says its name, and how it is.
type apiServer struct {
	name string
	sick atomic.Bool
	*httptest.Server
}

func newAPIServer(t *testing.T, name string) *apiServer {
	t.Helper()
	a := &apiServer{name: name}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" && a.sick.Load() {
			http.Error(w, "etcd failed", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, name)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *apiServer) address() string { return a.Listener.Addr().String() }

// freePort is one that nobody listens on, for a moment at least.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func start(t *testing.T, c configured) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := &server{say: func(text string) { t.Log(text) }}
	go func() { ended <- s.run(ctx, c.path("envoy.yaml")) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// answers are who answers a number of new connections.
func answers(port, count int) map[string]int {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	got := map[string]int{}
	for range count {
		resp, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/", port))
		if err != nil {
			got["error"]++
			continue
		}
		name, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			got["error"]++
			continue
		}
		got[string(name)]++
	}
	return got
}

// until waits until new connections are answered as expected.
func until(t *testing.T, port int, what string, expected func(map[string]int) bool) {
	t.Helper()
	var got map[string]int
	for range 200 {
		if got = answers(port, 6); expected(got) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s: answers by %v", what, got)
}

func TestBalances(t *testing.T) {
	c := newConfigured(t)
	one, two, three := newAPIServer(t, "one"), newAPIServer(t, "two"), newAPIServer(t, "three")
	port := freePort(t)
	start(t, c)
	if got := answers(port, 1); got["error"] != 1 {
		t.Fatalf("answers before it was configured: %v", got)
	}
	all := func(got map[string]int) bool { return got["one"] == 2 && got["two"] == 2 && got["three"] == 2 }
	c.configure(port, one.address(), two.address(), three.address())
	until(t, port, "three backends", all)
	two.sick.Store(true)
	until(t, port, "one is sick", func(got map[string]int) bool { return got["one"] == 3 && got["three"] == 3 })
	three.Close()
	until(t, port, "one is sick, one gone", func(got map[string]int) bool { return got["one"] == 6 })
	two.sick.Store(false)
	until(t, port, "one is gone", func(got map[string]int) bool { return got["one"] == 3 && got["two"] == 3 })
	// Another cluster's backends, on another port.
	port = freePort(t)
	c.configure(port, two.address())
	until(t, port, "configured anew", func(got map[string]int) bool { return got["two"] == 6 })
}

// While the first control plane starts, nobody is healthy, and kubeadm asks.
func TestNobodyIsHealthy(t *testing.T) {
	c := newConfigured(t)
	one := newAPIServer(t, "one")
	one.sick.Store(true)
	port := freePort(t)
	c.configure(port, fmt.Sprintf("127.0.0.1:%d", freePort(t)), one.address())
	start(t, c)
	until(t, port, "one starts, one is not there yet", func(got map[string]int) bool { return got["one"] == 6 })
	one.Close()
	until(t, port, "nobody is there", func(got map[string]int) bool { return got["error"] == 6 })
}

func TestReadsWhatKindWrites(t *testing.T) {
	c := newConfigured(t)
	f, err := readBootstrap(c.path("envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if routes, err := f.routes(); err != nil || len(routes) != 0 {
		t.Errorf("before it is configured: %v, %v", routes, err)
	}
	c.configure(6443, "lab-control-plane:6443", "lab-control-plane2:6443")
	routes, err := f.routes()
	if err != nil || len(routes) != 1 {
		t.Fatalf("%v, %v", routes, err)
	}
	want := route{listen: "0.0.0.0:6443", connect: 250 * time.Millisecond, health: "/healthz", interval: 20 * time.Millisecond, timeout: 3 * time.Second, failures: 2}
	got := routes[0]
	backends := strings.Join(got.backends, " ")
	got.backends = nil
	if fmt.Sprint(got) != fmt.Sprint(want) || backends != "lab-control-plane:6443 lab-control-plane2:6443" {
		t.Errorf("%+v to %s, want %+v", got, backends, want)
	}
}

func TestRefuses(t *testing.T) {
	const listener = "resources:\n- name: l\n  address: {socket_address: {address: 0.0.0.0, port_value: 1}}\n  filter_chains:\n  - filters:\n    - typed_config: {cluster: c}\n"
	for _, tc := range []struct{ name, listeners, clusters, says string }{
		{"a cluster that is not there", listener, "resources: []", `the unknown cluster "c"`},
		{"no endpoints", listener, "resources:\n- name: c\n  connect_timeout: 1s\n", "no endpoints"},
		{"no timeout", listener, "resources:\n- name: c\n  load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a, port_value: 1}}}}]}]}\n", "connect_timeout"},
		{"several filters", strings.Replace(listener, "    - typed", "    - {}\n    - typed", 1), "resources: []", "single filter"},
		{"no YAML", "a: b: c", "resources: []", "lds.yaml"},
	} {
		c := newConfigured(t)
		c.write("lds.yaml", tc.listeners)
		c.write("cds.yaml", tc.clusters)
		if _, err := (files{listeners: c.path("lds.yaml"), clusters: c.path("cds.yaml")}).routes(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	c := newConfigured(t)
	c.write("envoy.yaml", "node: {id: x}")
	if err := (&server{}).run(t.Context(), c.path("envoy.yaml")); err == nil || !strings.Contains(err.Error(), "names no files") {
		t.Errorf("a bootstrap without files: %v", err)
	}
}
