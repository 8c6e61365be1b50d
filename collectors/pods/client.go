package pods

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const (
	// accept asks for the Table form.
	accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
	// watchFor is how long the server is asked to keep a watch open; it is
	// resumed then, without a loss.
	watchFor = 10 * time.Minute
	// listFor bounds one list.
	listFor = 30 * time.Second
	// maxList bounds the answer to one list.
	maxList = 256 << 20
)

// restClient returns a client for absolute paths, without a limit of its own
// on the rate of requests and without an overall timeout, which would end
// watches.
func restClient(config *rest.Config, warn func(string)) (rest.Interface, error) {
	c := rest.CopyConfig(config)
	c.QPS, c.Timeout = -1, 0
	c.GroupVersion, c.APIPath = nil, "/api"
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.WarningHandlerWithContext = warnings{warn: warn}
	return rest.UnversionedRESTClientFor(c)
}

// warnings passes the API server's Warning headers on.
type warnings struct{ warn func(string) }

// HandleWarningHeaderWithContext passes a warning on.
func (w warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	if w.warn != nil && code == 299 && text != "" {
		w.warn("the API server warns: " + text)
	}
}

// resource is one kind of objects that is watched.
type resource struct {
	name   string
	prefix []string
	// kind is that of its objects, of which its gaps tell.
	kind string
	// cluster says that its objects belong to no namespace.
	cluster bool
	decode  func(row) (decoded, error)
}

func podResource() resource {
	return resource{name: "pods", kind: "Pod", prefix: []string{"/api", "v1"}, decode: decodePod}
}

func jobResource() resource {
	return resource{name: "jobs", kind: "Job", prefix: []string{"/apis", "batch", "v1"}, decode: decodeJob}
}

// request is a GET of the resource in its Table form, with whole objects.
func (r resource) request(client rest.Interface, namespace string) *rest.Request {
	path := append([]string{}, r.prefix...)
	if !r.cluster {
		path = append(path, "namespaces", namespace)
	}
	path = append(path, r.name)
	return client.Get().AbsPath(path...).SetHeader("Accept", accept).
		Param("includeObject", string(metav1.IncludeObject)).MaxRetries(0)
}

// list reads all objects as they are now.
func (r resource) list(ctx context.Context, client rest.Interface, namespace string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, listFor)
	defer cancel()
	body, err := r.request(client, namespace).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", r.name, unaddressed(err))
	}
	defer body.Close()
	document, err := io.ReadAll(io.LimitReader(body, maxList+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("listing %s: %w", r.name, err)
	case len(document) > maxList:
		return nil, fmt.Errorf("listing %s: the API server's answer is longer than %d MiB", r.name, maxList>>20)
	}
	return document, nil
}

// watch opens a stream of the changes after a resource version.
func (r resource) watch(ctx context.Context, client rest.Interface, namespace, version string) (io.ReadCloser, error) {
	body, err := r.request(client, namespace).
		Param("watch", "1").
		Param("allowWatchBookmarks", "true").
		Param("resourceVersion", version).
		Param("timeoutSeconds", fmt.Sprint(int(watchFor.Seconds()))).
		Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", r.name, unaddressed(err))
	}
	return body, nil
}

// unaddressed is an error without the address that was asked: what is asked is said
// in words.
func unaddressed(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}

// isGone says whether the server no longer knows the resource version.
func isGone(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// statusError is an ERROR event as an error.
func statusError(name string, document []byte) error {
	s := decodeStatus(document)
	if s.Code == http.StatusGone {
		s.Reason = metav1.StatusReasonExpired
	}
	return fmt.Errorf("watching %s: %w", name, &apierrors.StatusError{ErrStatus: s})
}
