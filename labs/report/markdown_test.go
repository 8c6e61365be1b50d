package report

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
)

// rendered is Markdown as a browser would be given it.
func rendered(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteMarkdown(t *testing.T) {
	docs := map[string]Document{"bars": sampleDocument()}
	for _, name := range []string{"pass", "fail", "error", "interrupted"} {
		docs[name] = Document{Report: samples()[name]}
	}
	for name, d := range docs {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteMarkdown(&b, d); err != nil {
				t.Fatal(err)
			}
			golden(t, "markdown-"+name, b.Bytes())
		})
	}
}

// evilTexts are such as Markdown, HTML, a terminal or GitHub would obey.
var evilTexts = []string{
	"<script>alert(1)</script>", "</details></summary><img src=x onerror=alert(1)>", "a | b || c", "`code` ``` ```` ~~~", "# heading", "- item", "1. item", "12) item", "+ item",
	"* item", "> quote", "---", "===", "[a](javascript:alert(1))", "![a](x)", "<https://x.y>", "https://x.y/z", "www.x.y", "@somebody", "see #12", "&lt;b&gt; &amp;#60;",
	"\\`*_{}[]()#+-.!|\\", "\x1b[31mred\x1b[0m\x1b]0;t\x07", "two\nlines\r\n\r\n    code", "\xff\xfe\u202e", "$x$ ~~y~~ __z__ **w**", "line\\", "", " ", "|", "[^1]: note", "<!-- comment", "| --- |", strings.Repeat("|`<", 100),
}

var tags = regexp.MustCompile(`<[^>]*>`)

// checkInline holds a text in each place where it may stand: what is shown is
// the text.
func checkInline(t *testing.T, text string) {
	t.Helper()
	want := strings.Join(strings.Fields(clean(text)), " ")
	for _, place := range [][2]string{{"| a | b |\n| --- | --- |\n| ", " | z |\n"}, {"## ", " z\n"}, {"", "\n\nz\n"}} {
		out := rendered(t, place[0]+inline(text)+place[1])
		shape := rendered(t, place[0]+map[bool]string{true: "x", false: ""}[want != ""]+place[1])
		if got, plain := strings.Join(tags.FindAllString(out, -1), ""), strings.Join(tags.FindAllString(shape, -1), ""); got != plain {
			t.Fatalf("%q became other elements, %s:\n%s", text, got, out)
		}
		shown := strings.ReplaceAll(html.UnescapeString(tags.ReplaceAllString(out, "")), "\u2060", "")
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
			t.Fatalf("%q is shown as %q", want, shown)
		}
	}
}

func TestInlineShowsTheTextItself(t *testing.T) {
	for _, text := range evilTexts {
		checkInline(t, text)
	}
}

func FuzzInline(f *testing.F) {
	for _, text := range evilTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkInline(t, text) })
}

func FuzzFenced(f *testing.F) {
	for _, text := range evilTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = block(text)
		out := rendered(t, fenced(text)+"\nafter\n")
		code, rest, found := strings.Cut(out, "</code></pre>")
		if !found || strings.TrimSpace(rest) != "<p>after</p>" || strings.Contains(strings.TrimPrefix(code, `<pre><code class="language-text">`), "<") {
			t.Fatalf("%q came out of its block:\n%s", text, out)
		}
	})
}

// TestNothingIsObeyed puts texts that something would obey everywhere into a
// document, and looks for them in all that is written of it.
func TestNothingIsObeyed(t *testing.T) {
	evil := strings.Join(evilTexts, " ") + strings.Repeat("<script>\x1b[2J", 1<<10)
	d := sampleDocument()
	fail := sampleFail()
	d.Report.Clusters[0].Error, d.Report.Errors = evil, []string{evil}
	d.Report.Runs[0].Description, d.Report.Runs[1].Scenario, d.Report.Runs[1].Steps[0].Name = evil, evil[:500], evil
	d.Report.Runs[2].Steps = append(d.Report.Runs[2].Steps, fail.Runs[6].Steps...)
	d.Report.Runs[2].Steps[5].Verdict.Reason = evil
	d.Pictures[1].Scenario, d.Pictures[1].Pods[0].Title, d.Pictures[1].Pods[0].Containers[0].Name = evil[:500], evil, evil
	d.Reproduce.Command = evil[:2000]
	d = NewCleaner([]string{"somebody"}).Document(d)
	for name, write := range map[string]func(io.Writer, Document) error{
		"text":     func(w io.Writer, d Document) error { return WriteDocumentText(w, d, Style{}) },
		"markdown": WriteMarkdown,
		"junit":    func(w io.Writer, d Document) error { return WriteJUnit(w, d.Report) },
	} {
		var b bytes.Buffer
		if err := write(&b, d); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x202e || r == 0x9b }); i >= 0 {
			t.Errorf("%s: a control character is in %q", name, b.String()[i:min(b.Len(), i+40)])
		}
		if strings.Contains(b.String(), "somebody") {
			t.Errorf("%s: the secret is in it", name)
		}
		if name != "markdown" {
			continue
		}
		if b.Len() > mostMarkdown*3/2 {
			t.Errorf("the Markdown has %d bytes", b.Len())
		}
		for _, tag := range tags.FindAllString(rendered(t, b.String()), -1) {
			if !regexp.MustCompile(`^</?(details|summary|table|thead|tbody|tr|th|td|h2|h3|p|pre|code|br)( class="language-text")?( /)?>$`).MatchString(tag) {
				t.Errorf("there is an element %s", tag)
			}
		}
	}
}
