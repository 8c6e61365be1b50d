package objects

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
)

// Warnings collects what the API server warns of, each text once.
type Warnings struct {
	mu   sync.Mutex
	text []string
}

type warningsKey struct{}

// Warned returns a context in which the API server's warnings are collected.
func Warned(ctx context.Context) (context.Context, *Warnings) {
	w := &Warnings{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

// List is what was warned of so far, in order.
func (w *Warnings) List() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.text)
}

// toContext gives warnings to the context of the request that they came with.
type toContext struct{}

// HandleWarningHeaderWithContext keeps a warning of the API server.
func (toContext) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	if code == 299 {
		Warn(ctx, text)
	}
}

// Warn collects a warning of the API server in the context's Warnings, if it has
// some.
func Warn(ctx context.Context, text string) {
	w, ok := ctx.Value(warningsKey{}).(*Warnings)
	if !ok || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.text, text) {
		w.text = append(w.text, text)
	}
}

var _ rest.WarningHandlerWithContext = toContext{}
