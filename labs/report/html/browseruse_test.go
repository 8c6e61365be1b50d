//go:build e2e

package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

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
