package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"
)

// paths are the files of a kubeadm node that podnet reads and writes.
type paths struct {
	kubeconfig, ca, clientCert, conflist string
}

// defaultPaths are where kubeadm and the kubelet keep them.
func defaultPaths() paths {
	return paths{
		kubeconfig: "/etc/kubernetes/kubelet.conf",
		ca:         "/etc/kubernetes/pki/ca.crt",
		clientCert: "/var/lib/kubelet/pki/kubelet-client-current.pem",
		conflist:   "/etc/cni/net.d/10-podnet.conflist",
	}
}

// watchTime bounds one watch, in seconds; the next begins with a fresh list.
const watchTime = 600

// node is what podnet needs to know of a Node object.
type node struct {
	Metadata struct {
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Spec struct {
		PodCIDR  string   `json:"podCIDR"`
		PodCIDRs []string `json:"podCIDRs"`
	} `json:"spec"`
	Status struct {
		Addresses []struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		} `json:"addresses"`
	} `json:"status"`
}

// apiClient speaks to the API server with the kubelet's own certificate.
type apiClient struct {
	server string
	http   *http.Client
}

// connect reads the kubelet's credentials. It fails until kubeadm and the
// kubelet have written them.
func connect(p paths) (*apiClient, error) {
	kubeconfig, err := os.ReadFile(p.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("waiting for kubeadm: %w", err)
	}
	server := serverOf(string(kubeconfig))
	if server == "" {
		return nil, fmt.Errorf("%s names no server", p.kubeconfig)
	}
	ca, err := os.ReadFile(p.ca)
	if err != nil {
		return nil, fmt.Errorf("waiting for kubeadm: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", p.ca)
	}
	cert, err := tls.LoadX509KeyPair(p.clientCert, p.clientCert)
	if err != nil {
		return nil, fmt.Errorf("waiting for the kubelet's certificate: %w", err)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}
	return &apiClient{server: server, http: &http.Client{Transport: transport}}, nil
}

// serverOf finds the server's address in a kubeconfig with one cluster, as
// kubeadm writes it.
func serverOf(kubeconfig string) string {
	for line := range strings.Lines(kubeconfig) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "server:"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// podSubnets are the cluster's pod subnets, from the ConfigMap
// kube-system/podnet.
func (c *apiClient) podSubnets(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var config struct {
		Data map[string]string `json:"data"`
	}
	if err := c.get(ctx, "/api/v1/namespaces/kube-system/configmaps/podnet", &config); err != nil {
		return nil, err
	}
	var subnets []string
	for _, s := range strings.Split(config.Data["podSubnet"], ",") {
		if s = strings.TrimSpace(s); s != "" {
			subnets = append(subnets, s)
		}
	}
	return subnets, nil
}

// followNodes calls changed with all nodes, in order of their names, now and
// after every change. It returns when the watch ends, with what ended it, or
// when changed fails.
func (c *apiClient) followNodes(ctx context.Context, changed func([]node) error) error {
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []node `json:"items"`
	}
	if err := c.get(ctx, "/api/v1/nodes", &list); err != nil {
		return err
	}
	known := map[string]node{}
	for _, n := range list.Items {
		known[n.Metadata.Name] = n
	}
	if err := changed(sorted(known)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, (watchTime+30)*time.Second)
	defer cancel()
	body, err := c.open(ctx, fmt.Sprintf("/api/v1/nodes?watch=true&timeoutSeconds=%d&resourceVersion=%s", watchTime, list.Metadata.ResourceVersion))
	if err != nil {
		return err
	}
	defer body.Close()
	return readEvents(body, known, changed)
}

// readEvents folds a watch's events into known until it ends; a watch that
// ends as it should returns nil.
func readEvents(body io.Reader, known map[string]node, changed func([]node) error) error {
	events := json.NewDecoder(body)
	for {
		var event struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("watching nodes: %w", err)
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("watching nodes: %s", event.Object)
		}
		var n node
		if err := json.Unmarshal(event.Object, &n); err != nil {
			return fmt.Errorf("watching nodes: %w", err)
		}
		if event.Type == "DELETED" {
			delete(known, n.Metadata.Name)
		} else {
			known[n.Metadata.Name] = n
		}
		if err := changed(sorted(known)); err != nil {
			return err
		}
	}
}

// get reads one object.
func (c *apiClient) get(ctx context.Context, path string, into any) error {
	body, err := c.open(ctx, path)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(into); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// open begins to read path; an answer that is not 200 is an error that
// carries its first line.
func (c *apiClient) open(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
		resp.Body.Close()
		return nil, fmt.Errorf("asking for %s: %s: %s", path, resp.Status, strings.TrimSpace(string(text)))
	}
	return resp.Body, nil
}

// sorted lists nodes in order of their names.
func sorted(known map[string]node) []node {
	nodes := make([]node, 0, len(known))
	for _, n := range known {
		nodes = append(nodes, n)
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Metadata.Name < nodes[j].Metadata.Name })
	return nodes
}
