//go:build e2e

package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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

func TestVerdictsOfTheMatrix(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	got := eval[[][]string](p, `[...document.querySelectorAll(".matrix tbody tr")].map((tr) => [...tr.querySelectorAll("td")].map((td) => td.innerText.trim()))`)
	want := "[[✓ done ✓ done ✓ done ✓ done] [✓ false ✗ false ✓ true ✓ true] [– skipped – skipped ✓ true ! error]]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	if n := eval[int](p, `[...document.querySelectorAll(".matrix .outcome")].filter((a) => { const b = a.getBoundingClientRect(); return b.width > 20 && b.height > 10 && b.left >= 0 && b.right <= innerWidth; }).length`); n != 12 {
		t.Errorf("%d outcomes are to be seen, want 12", n)
	}
	p.until(`document.querySelector("#evidence-0-1-1").offsetParent !== null`) // the first that is not as expected
	p.shoot("wide")
	p.run(chromedp.Click("#to-evidence-0-1-2", chromedp.ByQuery))
	p.until(`document.querySelector("#evidence-0-1-2").offsetParent !== null`)
	p.run(chromedp.Click("#to-evidence-0-1-1", chromedp.ByQuery))
	p.until(`document.querySelector("#evidence-0-1-1").offsetParent !== null`)
	text := eval[string](p, `document.querySelector("#evidence-0-1-1").innerText`)
	for _, want := range []string{"job.myapp.complete was still false after 75s", "The Job hangs", "18.251400123", "the runtime", "main-container-1 exited 0", "scenario.hcl, line 11"} {
		if !strings.Contains(text, want) {
			t.Errorf("the evidence %q lacks %q", text, want)
		}
	}
	if n := eval[int](p, `[...document.querySelectorAll(".evidence")].filter((e) => e.offsetParent).length`); n != 1 {
		t.Errorf("%d pieces of evidence are shown, want 1", n)
	}
	p.shoot("wide-evidence")
	p.run(chromedp.Click("#evidence-0-1-1 a[href='#source-0-11']", chromedp.ByQuery))
	p.until(`document.querySelector("#source-0-11").matches(":target") && document.querySelector("#source-0-11").offsetParent !== null`)
}

func TestHoverTellsTheExactTime(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	x, y := p.middle(`#timeline-scenario-0-2 .item.sidecar`)
	p.run(chromedp.MouseEvent("mouseMoved", x, y))
	p.until(`!document.querySelector("#tip").hidden`)
	text := eval[string](p, `document.querySelector("#tip").innerText`)
	for _, want := range []string{"sidecar sidecar-container-1", "3.212345678 s, by the container runtime, known to 1 ns", "exit 137"} {
		if !strings.Contains(text, want) {
			t.Errorf("the tooltip %q lacks %q", text, want)
		}
	}
	p.shoot("hover")
	x, y = p.middle(`#timeline-scenario-0-2 .item.warning`)
	p.run(chromedp.MouseEvent("mouseMoved", x, y))
	p.until(`document.querySelector("#tip").innerText.includes("BackOff")`)
	if text := eval[string](p, `document.querySelector("#tip").innerText`); !strings.Contains(text, "known to 1 s") || !strings.Contains(text, "hint") {
		t.Errorf("the tooltip of an event says %q", text)
	}
}

func TestTheFilterOfTheLog(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	count := func(want string) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelector(".count").textContent === %q`, want))
	}
	count("240 of 240 lines")
	p.run(chromedp.KeyEvent("/"))
	p.until(`document.activeElement.type === "search"`)
	p.run(chromedp.KeyEvent("line 7 of"))
	count("4 of 240 lines")
	filter := func(text string) {
		t.Helper()
		p.run(chromedp.Evaluate(`document.querySelector(".bar input[type=search]").value = ""`, nil), chromedp.SendKeys(".bar input[type=search]", text, chromedp.ByQuery))
	}
	filter(`/line 1\d of v12[79]:/`)
	count("20 of 240 lines")
	choose := func(name, value string) {
		p.run(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.querySelector("[data-filter=%s]"); s.value = %q; s.dispatchEvent(new Event("change")); })()`, name, value), nil))
	}
	choose("cluster", "v129")
	count("10 of 240 lines")
	choose("container", "myapp-*/main-container-1")
	count("5 of 240 lines")
	choose("stream", "stderr")
	count("0 of 240 lines")
	filter("/[/")
	p.until(`document.querySelector(".bar input[type=search]").getAttribute("aria-invalid") === "true"`)
}

func TestLogAndTimelineAreLinked(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	p.run(chromedp.Click(`.log .entry[data-n="6"]`, chromedp.ByQuery))
	p.until(`document.querySelectorAll(".timeline line.cursor").length === 4`)
	at := eval[string](p, `document.querySelector(".readout code").textContent`)
	detail := eval[string](p, `document.querySelector(".detail").innerText`)
	if !strings.Contains(detail, strings.TrimSuffix(at, " s")) {
		t.Errorf("the cursor is at %s, the line is %q", at, detail)
	}
	x, y := p.middle(`#timeline-scenario-0-1 svg`)
	p.run(chromedp.MouseClickXY(x, y))
	p.until(`document.querySelector(".readout code").textContent !== ` + fmt.Sprintf("%q", at))
	p.until(`document.querySelector(".log .chosen")?.textContent.includes("v128 ")`)
	near := eval[float64](p, `Math.abs(parseFloat(document.querySelector(".log .chosen .at").textContent) - parseFloat(document.querySelector(".readout code").textContent))`)
	if near > 0.8 {
		t.Errorf("the line is %.3f s away from the cursor", near)
	}
}

func TestTheKeyboard(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	p.run(chromedp.Focus("#to-evidence-0-0-0", chromedp.ByQuery))
	p.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
	focus := func() string { return eval[string](p, `document.activeElement.id`) }
	if id := focus(); id != "to-evidence-0-1-1" {
		t.Errorf("the arrow keys lead to %q", id)
	}
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until(`document.querySelector("#evidence-0-1-1").offsetParent === null`)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector("#evidence-0-1-1").offsetParent !== null`)
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until(`document.querySelector("#evidence-0-1-1").offsetParent === null`)
	p.run(chromedp.KeyEvent("?"))
	p.until(`document.querySelector("#help").open`)
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until(`!document.querySelector("#help").open`)
	p.run(chromedp.Focus("#timeline-scenario-0-2 .item[tabindex='0']", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowRight))
	p.until(`!document.querySelector("#tip").hidden && document.querySelector("#tip").innerText.includes("the Job completes")`)
	whole := eval[int](p, `document.querySelectorAll("#timeline-scenario-0-2 .grid").length`)
	first := eval[string](p, `document.querySelector("#timeline-scenario-0-2 text.faint").textContent`)
	p.run(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	p.until(fmt.Sprintf(`document.querySelectorAll("#timeline-scenario-0-2 .grid").length > 0 && document.querySelector("#timeline-scenario-0-2 text.faint").textContent !== %q || document.querySelectorAll("#timeline-scenario-0-2 .grid").length !== %d`, first, whole))
	p.until(`document.activeElement.dataset.mark !== undefined`)
	p.run(chromedp.KeyEvent("0"))
	p.until(fmt.Sprintf(`document.querySelectorAll("#timeline-scenario-0-2 .grid").length === %d`, whole))
}

func TestAlignment(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	align := func(name string) {
		p.run(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.querySelector("select.align"); s.value = %q; s.dispatchEvent(new Event("change")); })()`, name), nil))
	}
	starts := `[2, 3].map((i) => document.querySelector("#timeline-scenario-0-" + i + " .item.sidecar").getBBox().x)`
	before := eval[[]float64](p, starts)
	if before[1]-before[0] < 1 {
		t.Fatalf("the sidecars start at %v although one is 0.4 s later", before)
	}
	align("myapp-*/sidecar-container-1 starts")
	p.until(fmt.Sprintf(`Math.abs((([a, b]) => b - a)(%s)) < 0.01`, starts))
	align("myapp-*/main-container-1 starts")
	p.until(`document.querySelector("#timeline-scenario-0-0 h4").textContent.includes("no such event here")`)
}

func TestSnapshotsAndTheirDifferences(t *testing.T) {
	p := openPage(t, sample(), wide, tall)
	p.run(chromedp.Click(".snapshots summary", chromedp.ByQuery))
	p.until(`document.querySelectorAll(".diff .plus").length === 2 && document.querySelectorAll(".diff .minus").length === 2`)
	if text := eval[string](p, `document.querySelector(".diff").innerText`); !strings.Contains(text, "-   phase: Pending") || !strings.Contains(text, "+   phase: Init:0/1") {
		t.Errorf("the difference is %q", text)
	}
	if below := eval[float64](p, `document.querySelector(".snapshots").getBoundingClientRect().top - document.querySelector(".log").getBoundingClientRect().bottom`); below < 0 {
		t.Errorf("the log hides %.0f pixels of what is below it", -below)
	}
	p.shoot("snapshots")
}

func TestDarkAndLight(t *testing.T) {
	paper := func(p *tab) string { return eval[string](p, `getComputedStyle(document.body).backgroundColor`) }
	dark := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
	p := openPage(t, sample(), wide, tall, emulation.SetEmulatedMedia().WithFeatures(dark))
	if got := paper(p); got != "rgb(21, 24, 28)" {
		t.Errorf("where the system is dark the page is %s", got)
	}
	p.shoot("dark")
	p.run(chromedp.Click("#theme", chromedp.ByQuery))
	if got := paper(p); got != "rgb(255, 255, 255)" {
		t.Errorf("light by the button it is %s", got)
	}
	p.run(chromedp.Click("#theme", chromedp.ByQuery))
	if got := paper(p); got != "rgb(21, 24, 28)" {
		t.Errorf("dark by the button it is %s", got)
	}
}

func TestNarrowScreens(t *testing.T) {
	for name, d := range map[string]document.Document{"sample": sample(), "hostile": hostile()} {
		p := openPage(t, d, 390, 844)
		if over := eval[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%s: the page is %d pixels wider than the screen", name, over)
		}
		p.shoot("narrow-" + name)
	}
}

func TestHostileTextsDoNothing(t *testing.T) {
	p := openPage(t, hostile(), wide, tall)
	p.run(chromedp.SendKeys(".bar input[type=search]", "hacked", chromedp.ByQuery))
	p.until(`document.querySelectorAll(".log .entry").length > 0`)
	p.run(chromedp.Click(".log .entry", chromedp.ByQuery))
	for _, id := range []string{"#to-evidence-0-1-1", "#to-evidence-0-2-3"} {
		p.run(chromedp.Click(id, chromedp.ByQuery))
	}
	p.run(chromedp.Click(".snapshots summary", chromedp.ByQuery))
	x, y := p.middle(`#timeline-scenario-0-2 .item.event`)
	p.run(chromedp.MouseEvent("mouseMoved", x, y))
	if eval[bool](p, `"hacked" in window`) {
		t.Error("a text ran as a program")
	}
	if n := eval[int](p, `document.querySelectorAll("img, iframe, object, embed, b:not(#tip b)").length`); n != 0 {
		t.Errorf("%d elements were made of texts", n)
	}
	if n := eval[int](p, `document.scripts.length`); n != 2 {
		t.Errorf("%d scripts, want 2", n)
	}
	p.shoot("hostile")
}

func TestWithoutAProgramTheVerdictsAreReadable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, sample())), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newTab(t, file)
	p.run(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate("file://"+file))
	var text string
	p.run(chromedp.Text("main", &text, chromedp.ByQuery))
	for _, want := range []string{"✗ false", "job.myapp.complete was still false after 75s", "The last records about it", "lab run --cluster v127,v128,v128_on,v129"} {
		if !strings.Contains(text, want) {
			t.Errorf("without a program the page lacks %q", want)
		}
	}
}

func TestManyRecordsAndLinesStayUsable(t *testing.T) {
	d := large()
	p := openPage(t, d, wide, tall)
	info, err := os.Stat(p.file)
	if err != nil {
		t.Fatal(err)
	}
	ready := eval[float64](p, `Number(document.documentElement.dataset.ready)`)
	t.Logf("10,000 records and 100,000 lines: %.2f MiB, interactive after %.0f ms", float64(info.Size())/(1<<20), ready)
	if info.Size() > 6<<20 {
		t.Errorf("the page has %d bytes", info.Size())
	}
	if n := eval[int](p, `document.querySelectorAll(".log .entry").length`); n == 0 || n > 200 {
		t.Errorf("%d lines of 100,000 are elements", n)
	}
	filter := eval[float64](p, `(() => { const i = document.querySelector(".bar input[type=search]"); i.value = "took 7"; const t = performance.now(); i.dispatchEvent(new Event("input")); return performance.now() - t; })()`)
	p.until(`/^[0-9,]+ of 100,000 lines$/.test(document.querySelector(".count").textContent)`)
	zoom := p.timed(`document.querySelector("button[title='Zoom in']").click()`)
	scroll := p.timed(`document.querySelector(".log").scrollTop = 40000`)
	t.Logf("to filter takes %.0f ms, to zoom %.0f ms, to scroll %.0f ms", filter, zoom, scroll)
	p.shoot("large")
}
