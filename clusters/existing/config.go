package existing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// reach is a cluster as a kubeconfig tells how to reach it.
type reach struct {
	// context is the context's name, from is where it was found.
	context, from string
	// within is the namespace in which everything is done; empty for several.
	within string
	// document is a kubeconfig of this context alone.
	document []byte
	config   *rest.Config
}

// find reads the context that is meant from the user's kubeconfig.
func find(settings map[string]string) (*reach, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if file := settings[settingKubeconfig]; file != "" {
		path, err := expand(file)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: there is no kubeconfig %s", ErrContext, path)
		}
		rules = &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	}
	from := strings.Join(rules.GetLoadingPrecedence(), string(filepath.ListSeparator))
	all, err := rules.Load()
	if err != nil {
		return nil, fmt.Errorf("%w: the kubeconfig cannot be read: %w", ErrContext, err)
	}
	name := settings[settingContext]
	if name == "" {
		name = all.CurrentContext
	}
	if len(all.Contexts) == 0 {
		return nil, fmt.Errorf("%w: %s has no context: say which kubeconfig is meant", ErrContext, from)
	}
	if name == "" {
		return nil, fmt.Errorf("%w: %s has no current context; say which is meant, context = %q: it has %s", ErrContext, from, contexts(all)[0], strings.Join(contexts(all), ", "))
	}
	if all.Contexts[name] == nil {
		return nil, fmt.Errorf("%w: %s has no context %q; it has %s", ErrContext, from, name, strings.Join(contexts(all), ", "))
	}
	document, err := alone(all, name, settings[settingNamespace])
	if err != nil {
		return nil, fmt.Errorf("%w: context %q of %s: %w", ErrContext, name, from, err)
	}
	r, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("%w: context %q of %s: %w", ErrContext, name, from, err)
	}
	r.from = from
	return r, nil
}

// contexts are the names of the contexts, sorted.
func contexts(all *api.Config) []string {
	var names []string
	for name := range all.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// expand puts the home directory in for "~".
func expand(path string) (string, error) {
	rest, inHome := strings.CutPrefix(path, "~/")
	if !inHome && path != "~" {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w: finding the kubeconfig %s: %w", ErrContext, path, err)
	}
	return filepath.Join(home, rest), nil
}

// withinExtension is where a run's kubeconfig says in which namespace everything
// is done, so that another process finds that, too.
const withinExtension = "lab.kind-lab.github.com/within"

// alone is a kubeconfig with one context, its cluster and its user, and what
// files they name.
func alone(all *api.Config, name, within string) ([]byte, error) {
	one := all.DeepCopy()
	one.CurrentContext = name
	if err := api.MinifyConfig(one); err != nil {
		return nil, err
	}
	if err := api.FlattenConfig(one); err != nil {
		return nil, err
	}
	one.Extensions, one.Preferences = nil, api.Preferences{}
	c := one.Contexts[name]
	c.Extensions = nil
	if within != "" {
		c.Namespace = within
		c.Extensions = map[string]runtime.Object{withinExtension: &runtime.Unknown{Raw: []byte("true"), ContentType: runtime.ContentTypeJSON}}
	}
	return clientcmd.Write(*one)
}

// parse reads a kubeconfig of one context.
func parse(document []byte) (*reach, error) {
	client, err := clientcmd.NewClientConfigFromBytes(document)
	if err != nil {
		return nil, err
	}
	config, err := client.ClientConfig()
	if err != nil {
		return nil, err
	}
	raw, err := client.RawConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // a context that ends must say so itself; what is asked is little
	r := &reach{context: raw.CurrentContext, document: document, config: config}
	if c := raw.Contexts[raw.CurrentContext]; c != nil && c.Extensions[withinExtension] != nil {
		r.within = c.Namespace
	}
	return r, nil
}

// write makes the run's own kubeconfig, a file that must not exist yet.
func (r *reach) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the kubeconfig's folder: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: its kubeconfig %s is there: move it away", ErrExists, path)
	}
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	_, err = file.Write(r.document)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing the kubeconfig: %w", err), os.Remove(path))
	}
	return nil
}

// removeFile removes a file that may be gone.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the kubeconfig: %w", err)
	}
	return nil
}
