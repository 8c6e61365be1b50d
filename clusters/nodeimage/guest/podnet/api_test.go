package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kubelet writes the files that kubeadm and the kubelet write, for a server.
func kubelet(t *testing.T, server *httptest.Server) paths {
	t.Helper()
	dir := t.TempDir()
	p := paths{filepath.Join(dir, "kubelet.conf"), filepath.Join(dir, "ca.crt"), filepath.Join(dir, "client.pem"), filepath.Join(dir, "net.d", "10.conflist")}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	key := keyOf(t, server)
	for name, data := range map[string]string{
		p.kubeconfig: "clusters:\n- cluster:\n    certificate-authority-data: eA==\n    server: " + server.URL + "\n  name: x\n",
		p.ca:         string(cert), p.clientCert: string(cert) + key,
	} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// apiServer answers with a list of nodes and then with the events of a watch.
func apiServer(t *testing.T, nodes string, events ...string) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/v1/namespaces/kube-system/configmaps/podnet":
			fmt.Fprint(w, `{"data":{"podSubnet":"10.244.0.0/16, fd00::/56"}}`)
		case r.URL.Path == "/api/v1/nodes" && r.URL.Query().Get("watch") == "":
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"7"},"items":[%s]}`, nodes)
		case r.URL.Path == "/api/v1/nodes" && r.URL.Query().Get("resourceVersion") == "7":
			fmt.Fprint(w, strings.Join(events, "\n"))
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestPodSubnets(t *testing.T) {
	api, err := connect(kubelet(t, apiServer(t, "")))
	if err != nil {
		t.Fatal(err)
	}
	subnets, err := api.podSubnets(context.Background())
	if err != nil || !slices.Equal(subnets, []string{"10.244.0.0/16", "fd00::/56"}) {
		t.Errorf("podSubnets = %q, %v", subnets, err)
	}
	var into any
	if err := api.get(context.Background(), "/else", &into); err == nil || !strings.Contains(err.Error(), "403 Forbidden: no") {
		t.Errorf("what is forbidden: %v", err)
	}
}

func TestConnectWaits(t *testing.T) {
	for _, missing := range []func(paths) string{
		func(p paths) string { return p.kubeconfig },
		func(p paths) string { return p.ca },
		func(p paths) string { return p.clientCert },
	} {
		p := kubelet(t, apiServer(t, ""))
		if err := os.Remove(missing(p)); err != nil {
			t.Fatal(err)
		}
		if _, err := connect(p); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "waiting for") {
			t.Errorf("without %s: %v", missing(p), err)
		}
	}
	p := kubelet(t, apiServer(t, ""))
	for name, text := range map[string]string{p.kubeconfig: "clusters: []\n", p.ca: "nothing"} {
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := connect(p); err == nil {
			t.Errorf("with %q as %s it connects", text, name)
		}
		if err := os.WriteFile(name, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	nodeA = `{"metadata":{"name":"a"},"spec":{"podCIDR":"10.244.0.0/24"}}`
	nodeB = `{"metadata":{"name":"b"},"spec":{"podCIDR":"10.244.1.0/24"}}`
)

func TestFollowNodes(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []string
		want   []string
		fails  string
	}{
		{name: "a watch that ends", want: []string{"a"}},
		{name: "a node comes and goes", events: []string{`{"type":"ADDED","object":` + nodeB + `}`, `{"type":"MODIFIED","object":` + nodeA + `}`, `{"type":"DELETED","object":` + nodeA + `}`},
			want: []string{"a", "a b", "a b", "b"}},
		{name: "an error", events: []string{`{"type":"ERROR","object":{"message":"too old"}}`}, want: []string{"a"}, fails: "too old"},
		{name: "nonsense", events: []string{`{"type":`}, want: []string{"a"}, fails: "watching nodes"},
		{name: "no node", events: []string{`{"type":"ADDED","object":[]}`}, want: []string{"a"}, fails: "watching nodes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			api, err := connect(kubelet(t, apiServer(t, nodeA, tc.events...)))
			if err != nil {
				t.Fatal(err)
			}
			var seen []string
			err = api.followNodes(context.Background(), func(nodes []node) error {
				var names []string
				for _, n := range nodes {
					names = append(names, n.Metadata.Name)
				}
				seen = append(seen, strings.Join(names, " "))
				return nil
			})
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("followNodes: %v, want %q", err, tc.fails)
			}
			if !slices.Equal(seen, tc.want) {
				t.Errorf("seen %q, want %q", seen, tc.want)
			}
		})
	}
}

func TestAgent(t *testing.T) {
	server := apiServer(t, nodeA, `{"type":"ADDED","object":{"metadata":{"name":"b"},"spec":{"podCIDR":"10.244.1.0/24"},"status":{"addresses":[{"type":"InternalIP","address":"172.18.0.3"}]}}}`)
	p := kubelet(t, server)
	h := newFakeHost()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var said []string
	a := &agent{node: "a", paths: p, host: h, say: func(text string) {
		said = append(said, text)
		if strings.Contains(text, "1 routes") {
			cancel()
		}
	}}
	a.run(ctx)
	want := []string{"podnet: pods of this node have 10.244.0.0/24, 0 routes to other nodes", "podnet: pods of this node have 10.244.0.0/24, 1 routes to other nodes"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	if h.routes["-4 10.244.1.0/24"] != "172.18.0.3" || h.files[p.conflist] == "" {
		t.Errorf("routes %v, files %v", h.routes, h.files)
	}
}

func TestAgentWaits(t *testing.T) {
	server := apiServer(t, nodeA)
	p := kubelet(t, server)
	if err := os.Remove(p.ca); err != nil {
		t.Fatal(err)
	}
	h := newFakeHost()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var said []string
	a := &agent{node: "a", paths: p, host: h, say: func(text string) {
		said = append(said, text)
		cancel()
	}}
	a.run(ctx)
	if len(said) != 1 || !strings.Contains(said[0], "waiting for kubeadm") || len(h.files) > 0 {
		t.Errorf("said %q, wrote %v", said, h.files)
	}
}

func TestShellHost(t *testing.T) {
	h := shellHost{}
	out, err := h.run(context.Background(), "in", "cat")
	if err != nil || out != "in" {
		t.Errorf("run = %q, %v", out, err)
	}
	if _, err := h.run(context.Background(), "", "sh", "-c", "echo why >&2; exit 4"); err == nil || !strings.Contains(err.Error(), "exit status 4: why") {
		t.Errorf("a failing command: %v", err)
	}
	name := filepath.Join(t.TempDir(), "net.d", "10.conflist")
	for _, text := range []string{"one", "two"} {
		if err := h.write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != text {
			t.Errorf("wrote %q, %v", data, err)
		}
	}
}
