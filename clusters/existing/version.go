package existing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
)

// answering bounds one question to an API server.
const answering = 20 * time.Second

// Ask says which version the cluster of a Spec has. The error wraps ErrContext where there
// is no such context, ErrVersion where the constraint does not allow the
// version (an empty one allows all that are supported), and ErrUnreachable
// where the API server does not answer.
func (p *Provisioner) Ask(ctx context.Context, constraint string, spec clusters.Spec) (clusters.Answer, error) {
	r, err := find(spec.Settings)
	if err != nil {
		return clusters.Answer{}, err
	}
	client, err := p.client(r)
	if err != nil {
		return clusters.Answer{}, err
	}
	v, err := versionOf(ctx, client, r.context)
	if err != nil {
		return clusters.Answer{}, err
	}
	return clusters.Answer{Version: v, Why: fmt.Sprintf("the API server of context %q says so", r.context)}, allowed(constraint, v, r.context)
}

// versionOf asks the API server, once again where it does not answer.
func versionOf(ctx context.Context, client kubernetes.Interface, name string) (clusters.Version, error) {
	limited, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	document, err := client.Discovery().RESTClient().Get().AbsPath("/version").DoRaw(limited)
	if err != nil {
		return clusters.Version{}, unreachable(name, err)
	}
	var info version.Info
	if err := json.Unmarshal(document, &info); err != nil {
		return clusters.Version{}, fmt.Errorf("%w: context %q: what answers is no Kubernetes API server: %w", ErrUnreachable, name, err)
	}
	// Vendors add to it: v1.29.15-gke.100, v1.29.15+k3s1.
	released, _, _ := strings.Cut(strings.ReplaceAll(info.GitVersion, "+", "-"), "-")
	v, err := clusters.ParseVersion(released)
	if err != nil {
		return clusters.Version{}, fmt.Errorf("%w: context %q: %w", ErrVersion, name, err)
	}
	return v, nil
}

// allowed says where a constraint does not allow a version.
func allowed(constraint string, v clusters.Version, name string) error {
	text := constraint
	if text == "" {
		text = v.Line()
	}
	parsed, err := clusters.ParseConstraint(text)
	if err != nil {
		return fmt.Errorf("%w: context %q has Kubernetes %s: %w", ErrVersion, name, v, err)
	}
	if !parsed.Match(v) {
		return fmt.Errorf("%w: context %q has Kubernetes %s, and kubernetes = %q does not allow it: name another context, or change the constraint", ErrVersion, name, v, constraint)
	}
	return nil
}

// unreachable says why an API server does not answer, or does not want to.
func unreachable(name string, err error) error {
	hint := "is the cluster up, and can this machine reach it?"
	var asked *url.Error
	var looked *net.DNSError
	switch {
	case apierrors.IsUnauthorized(err):
		hint = "the credentials are not, or no longer, accepted: log in again"
	case apierrors.IsForbidden(err):
		hint = "the account may not even ask for the version: bind it to system:public-info-viewer"
	case errors.As(err, &looked):
		hint = "its name is not known here: is a VPN needed?"
	case errors.As(err, &asked):
		err = fmt.Errorf("%s: %w", asked.URL, asked.Err)
	}
	return fmt.Errorf("%w: context %q: %w: %s", ErrUnreachable, name, err, hint)
}
