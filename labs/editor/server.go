package editor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// Options are what a server needs beside its streams.
type Options struct {
	// Version is the version of lab that the client is given.
	Version string
	// Check finds what is wrong with a module beside what the decoder found;
	// nil for nothing.
	Check func(*dsl.Module) diag.List
	// Verbs and CheckVersion are those of dsl.Options.
	Verbs        action.Table
	CheckVersion func(string) error
	// ClusterSets are those of dsl.Options.
	ClusterSets []schema.ClusterSet
	// Providers and Renderer are those of dsl.Options.
	Providers []dsl.Provider
	Renderer  value.Renderer
	// Quiet is how long nothing must have been typed before a scenario is
	// looked at again; 0 means 150 ms.
	Quiet time.Duration
}

// Serve serves one client until it says exit, the streams end or ctx does.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, o Options) error {
	if o.Quiet == 0 {
		o.Quiet = 150 * time.Millisecond
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{options: o, documents: map[string]*document{}, published: map[string]map[string]bool{}, ctx: ctx}
	// One request at a time: what is typed is seen in the order it was typed.
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{AllowPush: true, Concurrency: 1, DisableBuiltin: true})
	s.rpc.Start(channel.LSP(in, out))
	go func() {
		<-ctx.Done()
		s.rpc.Stop()
	}()
	err := s.rpc.Wait()
	s.stop()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

type server struct {
	options Options
	rpc     *jrpc2.Server
	ctx     context.Context //nolint:containedctx // it ends with the session, of which the server is the state

	mu        sync.Mutex
	utf8      bool
	snippets  bool
	documents map[string]*document // by URI
	// published are the URIs that have diagnostics, by the folder or file that
	// they are of.
	published map[string]map[string]bool
	pending   map[string]*time.Timer
	working   sync.WaitGroup
	ended     bool
}

// document is an open file.
type document struct {
	uri, path string
	version   int
	content   string
}

func (s *server) methods() handler.Map {
	return handler.Map{
		"initialize":                       handler.New(s.initialize),
		"initialized":                      nothing(),
		"shutdown":                         handler.New(func(context.Context) any { return nil }),
		"exit":                             handler.New(func(context.Context) error { go s.rpc.Stop(); return nil }),
		"$/cancelRequest":                  nothing(),
		"$/setTrace":                       nothing(),
		"workspace/didChangeConfiguration": nothing(),
		"textDocument/didOpen":             handler.New(s.didOpen),
		"textDocument/didChange":           handler.New(s.didChange),
		"textDocument/didSave":             handler.New(s.didSave),
		"textDocument/didClose":            handler.New(s.didClose),
		"textDocument/completion":          handler.New(s.completion),
		"textDocument/hover":               handler.New(s.hover),
		"textDocument/formatting":          handler.New(s.formatting),
		"textDocument/documentSymbol":      handler.New(s.symbols),
		"textDocument/definition":          handler.New(s.definition),
	}
}

func nothing() jrpc2.Handler {
	return func(context.Context, *jrpc2.Request) (any, error) { return nil, nil }
}

func (s *server) initialize(_ context.Context, p initializeParams) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoding := "utf-16"
	for _, offered := range p.Capabilities.General.PositionEncodings {
		if offered == "utf-8" {
			encoding, s.utf8 = offered, true
		}
	}
	s.snippets = p.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport
	if p.ProcessID != nil {
		go s.watch(*p.ProcessID)
	}
	return map[string]any{
		"serverInfo": map[string]any{"name": "lab", "version": s.options.Version},
		"capabilities": map[string]any{
			"positionEncoding":           encoding,
			"textDocumentSync":           map[string]any{"openClose": true, "change": 1, "save": true},
			"completionProvider":         map[string]any{"triggerCharacters": []string{".", "\""}},
			"hoverProvider":              true,
			"documentFormattingProvider": true,
			"documentSymbolProvider":     true,
			"definitionProvider":         true,
		},
	}
}

// watch ends the server when the client's process is gone.
func (s *server) watch(pid int) {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			process, err := os.FindProcess(pid)
			if err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
				continue
			}
			s.rpc.Stop()
			return
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *server) didOpen(_ context.Context, p documentParams) error {
	path, err := pathOf(p.TextDocument.URI)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.documents[p.TextDocument.URI] = &document{uri: p.TextDocument.URI, path: path, version: p.TextDocument.Version, content: p.TextDocument.Text}
	s.mu.Unlock()
	s.look(path)
	return nil
}

func (s *server) didChange(_ context.Context, p changeParams) error {
	s.mu.Lock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		s.mu.Unlock()
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	changed := *d
	changed.version = p.TextDocument.Version
	for _, change := range p.ContentChanges {
		if change.Range == nil {
			changed.content = change.Text
			continue
		}
		t := text{changed.content, s.utf8}
		start, end := t.offset(change.Range.Start), t.offset(change.Range.End)
		changed.content = changed.content[:start] + change.Text + changed.content[max(start, end):]
	}
	s.documents[p.TextDocument.URI] = &changed
	s.mu.Unlock()
	s.look(changed.path)
	return nil
}

func (s *server) didSave(_ context.Context, p documentParams) error {
	if path, err := pathOf(p.TextDocument.URI); err == nil {
		s.look(path)
	}
	return nil
}

func (s *server) didClose(_ context.Context, p documentParams) error {
	s.mu.Lock()
	delete(s.documents, p.TextDocument.URI)
	s.mu.Unlock()
	if path, err := pathOf(p.TextDocument.URI); err == nil {
		s.look(path)
	}
	return nil
}

// opened is the open document of a URI with its text.
func (s *server) opened(uri string) (*document, text, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[uri]
	if d == nil {
		return nil, text{}, fmt.Errorf("%s is not open", uri)
	}
	return d, text{d.content, s.utf8}, nil
}
