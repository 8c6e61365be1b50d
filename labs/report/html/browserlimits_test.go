//go:build e2e

package html

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/kind-lab/lab/labs/report/document"
)

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
