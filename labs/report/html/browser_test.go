//go:build e2e

package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/kind-lab/lab/labs/report/document"
)

// tab is a page in a browser, with all that went wrong in it.
type tab struct {
	ctx  context.Context
	t    *testing.T
	file string

	mu       sync.Mutex
	troubles []string
	requests []string
}

// openPage shows a document in a headless browser of so many pixels.
func openPage(t *testing.T, d document.Document, width, height int64, actions ...chromedp.Action) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, d); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := newTab(t, file)
	p.run(append(actions,
		network.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		chromedp.Navigate("file://"+file), chromedp.WaitReady("html[data-ready][data-complete]", chromedp.ByQuery))...)
	t.Cleanup(p.quiet)
	return p
}

func newTab(t *testing.T, file string) *tab {
	t.Helper()
	// What the browser leaves behind goes with the test. The name is short since
	// that of a socket in it must be.
	temp, err := os.MkdirTemp("", "lab-page-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) }) // the system's own cleaning does the rest
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)),
		chromedp.WSURLReadTimeout(2*time.Minute), chromedp.Env("TMPDIR="+temp))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(end)
	p := &tab{ctx: ctx, t: t, file: file}
	chromedp.ListenTarget(ctx, p.listen)
	return p
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium is on the PATH: make browser installs it")
	return ""
}

func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.troubles = append(p.troubles, "exception: "+e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		p.troubles = append(p.troubles, "console."+e.Type.String())
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

// quiet fails the test where the console was written to, where a program
// failed, and where anything but the file was asked for.
func (p *tab) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.troubles {
		p.t.Error(trouble)
	}
	for _, url := range p.requests {
		if url != "file://"+p.file && url != "data:," {
			p.t.Errorf("the page asked for %s", url)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("not even the file was asked for: requests were not seen")
	}
}

func (p *tab) run(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval is the value of an expression.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	var out T
	p.run(chromedp.Evaluate(expression, &out))
	return out
}

// until waits for an expression to be true.
func (p *tab) until(expression string) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(2*time.Minute))); err != nil {
		p.t.Fatalf("%s did not become true: %v", expression, err)
	}
}

// shoot writes a picture of the page where $LAB_TEST_SCREENSHOTS names a
// folder for it.
func (p *tab) shoot(name string) {
	p.t.Helper()
	folder := os.Getenv("LAB_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture []byte
	p.run(chromedp.FullScreenshot(&picture, 100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// timed is how many milliseconds pass from an action to the frame after it.
func (p *tab) timed(action string) float64 {
	p.t.Helper()
	var out float64
	p.run(chromedp.Evaluate(`new Promise((done) => { const t = performance.now(); `+action+`; requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - t))); })`, &out,
		func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
	return out
}

// middle is the middle of the first element of a query, on the screen.
func (p *tab) middle(query string) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center", behavior: "instant"}); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`, query))
	return at[0], at[1]
}

const wide, tall = 1400, 1000
