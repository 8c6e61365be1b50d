package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"
)

// files are where listeners (LDS) and clusters (CDS) are described.
type files struct{ listeners, clusters string }

// readBootstrap finds them in Envoy's own configuration.
func readBootstrap(name string) (files, error) {
	type source struct {
		Path struct{ Path string } `json:"path_config_source"`
	}
	var b struct {
		Dynamic struct {
			Clusters  source `json:"cds_config"`
			Listeners source `json:"lds_config"`
		} `json:"dynamic_resources"`
	}
	if err := readYAML(name, &b); err != nil {
		return files{}, err
	}
	f := files{listeners: b.Dynamic.Listeners.Path.Path, clusters: b.Dynamic.Clusters.Path.Path}
	if f.listeners == "" || f.clusters == "" {
		return files{}, fmt.Errorf("%s names no files of listeners and clusters", name)
	}
	return f, nil
}

// read is what both files hold.
func (f files) read() (string, error) {
	listeners, err := os.ReadFile(f.listeners)
	if err != nil {
		return "", fmt.Errorf("reading the listeners: %w", err)
	}
	clusters, err := os.ReadFile(f.clusters)
	if err != nil {
		return "", fmt.Errorf("reading the clusters: %w", err)
	}
	return string(listeners) + "\x00" + string(clusters), nil
}

// address is a host, or an IP address, and a port.
type address struct {
	Socket struct {
		Address string `json:"address"`
		Port    uint16 `json:"port_value"`
	} `json:"socket_address"`
}

func (a address) String() string {
	return net.JoinHostPort(a.Socket.Address, strconv.Itoa(int(a.Socket.Port)))
}

type listener struct {
	Name    string
	Address address
	Chains  []struct {
		Filters []struct {
			Config struct{ Cluster string } `json:"typed_config"`
		}
	} `json:"filter_chains"`
}

type cluster struct {
	Name           string
	ConnectTimeout string `json:"connect_timeout"`
	HealthChecks   []struct {
		Timeout, Interval  string
		UnhealthyThreshold int                   `json:"unhealthy_threshold"`
		HTTP               struct{ Path string } `json:"http_health_check"`
	} `json:"health_checks"`
	Load struct {
		Endpoints []struct {
			Endpoints []struct {
				Endpoint struct{ Address address }
			} `json:"lb_endpoints"`
		}
	} `json:"load_assignment"`
}

// route is a listener with all that its connections need to know.
type route struct {
	listen   string
	backends []string
	connect  time.Duration
	// health is the path that is asked for; empty means not to ask.
	health            string
	interval, timeout time.Duration
	failures          int // in a row, of one that is no longer healthy
}

// routes are what the files describe. There are none while the cluster is only
// being made.
func (f files) routes() ([]route, error) {
	var l struct{ Resources []listener }
	if err := readYAML(f.listeners, &l); err != nil {
		return nil, err
	}
	var c struct{ Resources []cluster }
	if err := readYAML(f.clusters, &c); err != nil {
		return nil, err
	}
	clusters := map[string]cluster{}
	for _, one := range c.Resources {
		clusters[one.Name] = one
	}
	var routes []route
	for _, one := range l.Resources {
		if len(one.Chains) != 1 || len(one.Chains[0].Filters) != 1 {
			return nil, fmt.Errorf("listener %s is not one of a single filter", one.Name)
		}
		to, known := clusters[one.Chains[0].Filters[0].Config.Cluster]
		if !known {
			return nil, fmt.Errorf("listener %s leads to the unknown cluster %q", one.Name, one.Chains[0].Filters[0].Config.Cluster)
		}
		r, err := to.route()
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", to.Name, err)
		}
		r.listen = one.Address.String()
		routes = append(routes, r)
	}
	return routes, nil
}

// route is the cluster's part of one.
func (c cluster) route() (route, error) {
	r := route{failures: 1}
	for _, group := range c.Load.Endpoints {
		for _, e := range group.Endpoints {
			r.backends = append(r.backends, e.Endpoint.Address.String())
		}
	}
	if len(r.backends) == 0 {
		return r, fmt.Errorf("it has no endpoints")
	}
	var err error
	if r.connect, err = time.ParseDuration(c.ConnectTimeout); err != nil {
		return r, fmt.Errorf("reading its connect_timeout: %w", err)
	}
	if len(c.HealthChecks) == 0 {
		return r, nil
	}
	check := c.HealthChecks[0]
	if r.interval, err = time.ParseDuration(check.Interval); err != nil {
		return r, fmt.Errorf("reading its health check's interval: %w", err)
	}
	if r.timeout, err = time.ParseDuration(check.Timeout); err != nil {
		return r, fmt.Errorf("reading its health check's timeout: %w", err)
	}
	r.health, r.failures = check.HTTP.Path, max(1, check.UnhealthyThreshold)
	return r, nil
}

func readYAML(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}
