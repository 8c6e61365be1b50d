package editor

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/validate"
)

// client is an editor: a JSON-RPC client over pipes.
type client struct {
	t   *testing.T
	rpc *jrpc2.Client
	dir string
	end chan error

	mu        sync.Mutex
	told      map[string][]diagnostic
	shown     []string // messages to the user
	published chan struct{}
}

func open(t *testing.T, capabilities map[string]any) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{t: t, dir: t.TempDir(), end: make(chan error, 1), told: map[string][]diagnostic{}, published: make(chan struct{}, 1000)}
	go func() {
		c.end <- Serve(t.Context(), toServer, fromServer, Options{Version: "test", Quiet: time.Millisecond, Check: validate.Check, ClusterSets: testSets()})
		_ = fromServer.Close() // of a pipe: it is nil
	}()
	c.rpc = jrpc2.NewClient(channel.LSP(toClient, fromClient), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) {
		var p publishParams
		var m messageParams
		if r.Method() == "window/showMessage" && r.UnmarshalParams(&m) == nil {
			c.mu.Lock()
			c.shown = append(c.shown, m.Message)
			c.mu.Unlock()
		}
		if r.Method() != "textDocument/publishDiagnostics" || r.UnmarshalParams(&p) != nil {
			return
		}
		c.mu.Lock()
		c.told[filepath.Base(p.URI)] = p.Diagnostics
		c.mu.Unlock()
		c.published <- struct{}{}
	}})
	t.Cleanup(func() { _ = c.rpc.Close() }) // the server may be gone
	c.call("initialize", map[string]any{"processId": os.Getpid(), "rootUri": nil, "capabilities": capabilities}, nil)
	c.notify("initialized", map[string]any{})
	return c
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	response, err := c.rpc.Call(ctx, method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := response.UnmarshalResult(result); err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.rpc.Notify(c.t.Context(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) uri(name string) string { return uriOf(filepath.Join(c.dir, name)) }

func (c *client) write(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// open opens a document; | marks the cursor and is taken out. It returns its
// position.
func (c *client) open(name, content string) position {
	c.t.Helper()
	content, at := cut(content)
	c.notify("textDocument/didOpen", documentParams{textDocument{URI: c.uri(name), Version: 1, Text: content}})
	return at
}

func (c *client) change(name, content string) position {
	c.t.Helper()
	content, at := cut(content)
	c.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": c.uri(name), "version": 2}, "contentChanges": []map[string]any{{"text": content}},
	})
	return at
}

// cut takes the mark of the cursor out of a text; its position counts UTF-16
// code units.
func cut(content string) (string, position) {
	before, after, ok := strings.Cut(content, "|")
	if !ok {
		return content, position{}
	}
	return before + after, text{content: before + after}.position(len(before))
}

// expect waits until the diagnostics of a file are so.
func (c *client) expect(name string, want func([]diagnostic) bool) []diagnostic {
	c.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		c.mu.Lock()
		told, ok := c.told[name]
		c.mu.Unlock()
		if ok && want(told) {
			return told
		}
		select {
		case <-c.published:
		case <-deadline:
			c.t.Fatalf("%s: diagnostics %+v", name, told)
		}
	}
}

func about(words string) func([]diagnostic) bool {
	return func(all []diagnostic) bool {
		return slices.ContainsFunc(all, func(d diagnostic) bool { return strings.Contains(d.Message, words) })
	}
}

func none(all []diagnostic) bool { return len(all) == 0 }

const good = `cluster "a" { kubernetes = "1.29" }

scenario "s" {
  clusters = [cluster.a]
  apply "web" { manifests = file("pod.yaml") }
  expect "it runs" {
    condition = pod.web.phase == "Running"
    within    = "10s"
  }
}
`

const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: main\n      image: busybox:1.35\n"

// TestSession is what an editor does with a scenario.
func TestSession(t *testing.T) {
	c := open(t, map[string]any{})
	c.write("pod.yaml", pod)
	c.open("scenario.hcl", strings.Replace(good, "phase", "pahse", 1))
	told := c.expect("scenario.hcl", about(`Did you mean "phase"?`))
	if d := told[0]; d.Severity != 1 || d.Range.Start != (position{6, 23}) || d.Range.End.Line != 6 {
		t.Errorf("got %+v", d)
	}
	c.change("scenario.hcl", good)
	c.expect("scenario.hcl", none)

	// A mistake in a manifest is reported there, and cleared there.
	c.write("pod.yaml", pod+"  - x\n")
	c.notify("textDocument/didSave", documentParams{textDocument{URI: c.uri("scenario.hcl")}})
	c.expect("pod.yaml", about("Invalid manifest"))
	c.write("pod.yaml", pod)
	c.notify("textDocument/didSave", documentParams{textDocument{URI: c.uri("scenario.hcl")}})
	c.expect("pod.yaml", none)

	// Another file of the folder, which is not on disk.
	c.open("more.hcl", "locals {\n  unused = 1\n}\n")
	c.expect("more.hcl", about("Nothing refers to local.unused"))

	var edits []textEdit
	c.change("more.hcl", "locals {\nx=1\n  long = local.x\n}\n")
	c.call("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": c.uri("more.hcl")}, "options": map[string]any{"tabSize": 2}}, &edits)
	if len(edits) != 1 || edits[0].NewText != "locals {\n  x    = 1\n  long = local.x\n}\n" || edits[0].Range.End != (position{4, 0}) {
		t.Errorf("edits %+v", edits)
	}
	var symbols []symbol
	c.call("textDocument/documentSymbol", documentParams{textDocument{URI: c.uri("scenario.hcl")}}, &symbols)
	if len(symbols) != 2 || symbols[1].Name != "s" || len(symbols[1].Children) != 2 || symbols[1].Children[1].Name != "it runs" {
		t.Errorf("symbols %+v", symbols)
	}
	c.notify("textDocument/didClose", documentParams{textDocument{URI: c.uri("more.hcl")}})
	c.expect("more.hcl", none)

	// What is malformed gets an error, and the session goes on.
	if _, err := c.rpc.Call(t.Context(), "textDocument/hover", []int{1}); err == nil {
		t.Error("parameters of the wrong form are no error")
	}
	if _, err := c.rpc.Call(t.Context(), "textDocument/hover", placeParams{TextDocument: textDocument{URI: "file:///none"}}); err == nil {
		t.Error("a document that is not open is no error")
	}
	if _, err := c.rpc.Call(t.Context(), "nothing/such", nil); err == nil {
		t.Error("an unknown method is no error")
	}
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	select {
	case err := <-c.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server did not end")
	}
}

func TestCompletion(t *testing.T) {
	head := "variable \"image\" { default = \"x\" }\ncluster \"a\" { kubernetes = \"1.29\" }\n"
	in := func(inside string) string {
		return head + "scenario \"s\" {\n  clusters = [cluster.a]\n  locals {\n    size = 1\n  }\n  exec \"read\" {\n    pod = \"x\"\n    command = [\"x\"]\n  }\n  sleep \"a while\" { duration = \"1s\" }\n" + inside
	}
	for name, tt := range map[string]struct {
		src       string
		want, not []string
	}{
		"top":                 {"|", []string{"cluster", "scenario", "variable"}, []string{"exercise", "expect"}},
		"steps":               {in("  ex|\n}"), []string{"expect", "exec", "apply", "finally", "description"}, []string{"cluster", "clusters"}},
		"arguments":           {in("  expect \"e\" {\n    condition = true\n    |"), []string{"within", "hold"}, []string{"condition", "clusters"}},
		"in one line":         {in("  sleep \"x\" { |"), []string{"duration"}, []string{"within"}},
		"values of enum":      {in("  node \"n\" {\n    action = |"), []string{"cordon", "drain"}, nil},
		"values in quotes":    {in("  apply \"n\" {\n    field_validation = \"|\""), []string{"strict", "ignore"}, []string{"pod"}},
		"roots":               {in("  expect \"e\" {\n    condition = |"), []string{"pod", "job", "deployment", "logged", `step["a while"]`, "true"}, []string{"cluster", "container"}},
		"load time":           {in("  expect \"e\" {\n    within = |"), []string{"var", "local"}, []string{"pod"}},
		"attributes":          {in("  expect \"e\" {\n    condition = pod.web.|"), []string{"phase", "container", "events"}, []string{"exit_code"}},
		"attributes, deeper":  {in("  expect \"e\" {\n    condition = job.x.pod.container[\"main\"].ex|"), []string{"exit_code", "started_at"}, []string{"phase"}},
		"of a run":            {in("  expect \"e\" {\n    condition = pod.x.container.a.runs[0].|"), []string{"finished_at"}, []string{"phase"}},
		"variables":           {in("  expect \"e\" {\n    message = \"${var.|}\""), []string{"image"}, []string{"pod"}},
		"locals":              {in("  expect \"e\" {\n    condition = local.|\n  }\n}\n"), []string{"size"}, nil},
		"clusters":            {in("}\nscenario \"t\" {\n  clusters = [cluster.|]\n}\n"), []string{"a"}, nil},
		"steps' names":        {in("  expect \"e\" {\n    condition = step.|"), []string{"read"}, []string{"a while"}},
		"results":             {in("  expect \"e\" {\n    condition = step.read.|"), []string{"stdout", "exit_code"}, nil},
		"in a dynamic block":  {in("  dynamic \"expect\" {\n    content {\n      |"), []string{"condition", "within"}, nil},
		"after a broken line": {in("  expect \"e\" {\n    condition = pod.web.phase ==\n    |"), []string{"within"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, map[string]any{})
			at := c.open("x.hcl", tt.src)
			var list completionList
			c.call("textDocument/completion", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &list)
			var labels []string
			for _, item := range list.Items {
				labels = append(labels, item.Label)
				if item.TextEdit == nil || item.TextEdit.Range.End != at {
					t.Errorf("%s: edit %+v", item.Label, item.TextEdit)
				}
			}
			for _, want := range tt.want {
				if !slices.Contains(labels, want) {
					t.Errorf("does not offer %q: %q", want, labels)
				}
			}
			for _, not := range tt.not {
				if slices.Contains(labels, not) {
					t.Errorf("offers %q", not)
				}
			}
		})
	}
}

func TestSnippets(t *testing.T) {
	c := open(t, map[string]any{"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}}})
	at := c.open("x.hcl", "scenario \"s\" {\n  exp|\n}\n")
	var list completionList
	c.call("textDocument/completion", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &list)
	i := slices.IndexFunc(list.Items, func(i completionItem) bool { return i.Label == "expect" })
	if want := "expect \"${1:name}\" {\n  condition = $2\n}"; list.Items[i].TextEdit.NewText != want || list.Items[i].InsertTextFormat != 2 {
		t.Errorf("got %+v", list.Items[i].TextEdit)
	}
}

func TestHoverAndDefinition(t *testing.T) {
	head := "variable \"token\" {\n  default     = \"hunter2\"\n  sensitive   = true\n  description = \"A secret.\"\n}\ncluster \"a\" { kubernetes = \"1.29\" }\n"
	in := func(inside string) string {
		return head + "scenario \"s\" {\n  clusters = [cluster.a]\n  locals { ü = \"😀\" }\n  exec \"read\" {\n    pod     = \"x\"\n    command = [\"x\"]\n  }\n  expect \"e\" {\n" + inside + "\n  }\n}\n"
	}
	for name, tt := range map[string]struct {
		src, want string
		line      int // of the definition; -1 for none
	}{
		"argument":  {in("    with|in = \"1s\""), "The condition must become true in that time.", -1},
		"block":     {strings.Replace(in("    condition = true"), "expect", "exp|ect", 1), "**expect** – An expectation", -1},
		"root":      {in("    condition = po|d.web.phase == \"x\""), "`pod.NAME`", -1},
		"attribute": {in("    condition = pod.web.ph|ase == \"x\""), "**phase** (string)", -1},
		"deeper":    {in("    condition = \"😀\" == job.x.pod.container[\"main\"].exit_c|ode"), "**exit_code** (number)", -1},
		"function":  {in("    condition = log|ged(pod.x.container.a, \"x\")"), "logged(container, pattern)", -1},
		"variable":  {in("    message = var.tok|en"), "`var.token` = `(sensitive)`", 0},
		"cluster":   {strings.Replace(in(""), "[cluster.a]", "[cluster.|a]", 1), "Kubernetes 1.29", 5},
		"existing":  {strings.Replace(strings.Replace(in(""), "[cluster.a]", "[cluster.|a]", 1), "kubernetes = \"1.29\"", "provider = \"existing\"", 1), "**cluster a** – provider existing", 5},
		"local":     {in("    condition = local.|ü == \"x\""), "", 8},
		"step":      {in("    condition = step.re|ad.exit_code == 0"), "", 9},
		"nothing":   {in("    condition = 1 |== 1"), "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, map[string]any{})
			at := c.open("x.hcl", tt.src)
			var said *hoverResult
			c.call("textDocument/hover", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &said)
			if tt.want == "" && said != nil || tt.want != "" && (said == nil || !strings.Contains(said.Contents.Value, tt.want)) {
				t.Errorf("hover says %+v, want %q", said, tt.want)
			}
			var found *location
			c.call("textDocument/definition", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &found)
			if (found == nil) != (tt.line < 0) || found != nil && found.Range.Start.Line != tt.line {
				t.Errorf("definition is %+v, want line %d", found, tt.line)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	const content = "a😀ü\nb\xff\n"
	for _, tt := range []struct {
		utf8   bool
		offset int
		want   position
	}{
		{false, 0, position{0, 0}}, {false, 1, position{0, 1}}, {false, 5, position{0, 3}}, {false, 7, position{0, 4}},
		{false, 8, position{1, 0}}, {false, 10, position{1, 2}}, {true, 5, position{0, 5}}, {true, 7, position{0, 7}}, {true, 10, position{1, 2}},
	} {
		x := text{content, tt.utf8}
		if got := x.position(tt.offset); got != tt.want {
			t.Errorf("%t: position of %d is %v, want %v", tt.utf8, tt.offset, got, tt.want)
		}
		if got := x.offset(tt.want); got != tt.offset {
			t.Errorf("%t: offset of %v is %d, want %d", tt.utf8, tt.want, got, tt.offset)
		}
	}
	x := text{content: content}
	for _, p := range []position{{-1, -1}, {99, 0}, {0, 99}, {0, 2}} {
		if got := x.offset(p); got < 0 || got > len(content) {
			t.Errorf("offset of %v is %d", p, got)
		}
	}
}

// FuzzServer asks everything at every kind of place of any text.
func FuzzServer(f *testing.F) {
	files, err := filepath.Glob("../../dsl/testdata/*/*.hcl")
	if err != nil || len(files) == 0 {
		f.Fatal(len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), len(data)/2)
	}
	f.Fuzz(func(t *testing.T, content string, offset int) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.hcl")
		s := &server{documents: map[string]*document{}, options: Options{Check: func(m *dsl.Module) diag.List { return validate.Check(m) }}}
		s.documents["u"] = &document{uri: "u", path: path, content: content}
		x := text{content: content}
		offset = min(max(offset, 0), len(content))
		p := placeParams{textDocument{URI: "u"}, x.position(offset)}
		for name, ask := range map[string]func() (any, error){
			"completion": func() (any, error) { return s.completion(t.Context(), p) },
			"hover":      func() (any, error) { return s.hover(t.Context(), p) },
			"definition": func() (any, error) { return s.definition(t.Context(), p) },
			"symbols":    func() (any, error) { return s.symbols(t.Context(), documentParams{p.TextDocument}) },
			"formatting": func() (any, error) { return s.formatting(t.Context(), documentParams{p.TextDocument}) },
		} {
			answer, err := ask()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := json.Marshal(answer); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		m, list := s.load(s.unitOf(path))
		for _, d := range list {
			if _, shown := s.place(s.unitOf(path), m, d); shown.Range.Start.Line < 0 {
				t.Error("negative line")
			}
		}
	})
}
