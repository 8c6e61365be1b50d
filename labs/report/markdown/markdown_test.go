package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
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
	docs := map[string]document.Document{"bars": reporttest.Document()}
	for _, name := range []string{"pass", "fail", "error", "interrupted"} {
		docs[name] = document.Document{Report: reporttest.Samples()[name]}
	}
	for name, d := range docs {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, d); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "markdown-"+name, b.Bytes())
		})
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// checkInline holds a text in each place where it may stand: what is shown is
// the text.
func checkInline(t *testing.T, text string) {
	t.Helper()
	want := strings.Join(strings.Fields(layout.Clean(text)), " ")
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
	for _, text := range reporttest.HostileTexts {
		checkInline(t, text)
	}
}

// TestNoPictureIsShownForAName looks for what GitHub would show as a picture.
func TestNoPictureIsShownForAName(t *testing.T) {
	picture := regexp.MustCompile(`:([a-z_+-][a-z0-9_+-]*|[0-9]{3,}):`)
	for _, text := range []string{":tada:", "a:+1:b", ":a:b:c:", ":white_check_mark:", ":100:", "::tada::", "web :x: side", ":-1:"} {
		shown := html.UnescapeString(tags.ReplaceAllString(rendered(t, inline(text)), ""))
		if picture.MatchString(shown) {
			t.Errorf("%s is shown as %q", text, shown)
		}
		checkInline(t, text)
	}
	for _, text := range []string{"12:30:05", "a: b: c", "image:1.35", "Pending → Running"} {
		if strings.Contains(inline(text), "\u2060") {
			t.Errorf("%s is written as %q", text, inline(text))
		}
	}
}

func FuzzInline(f *testing.F) {
	for _, text := range reporttest.HostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkInline(t, text) })
}

func FuzzFenced(f *testing.F) {
	for _, text := range reporttest.HostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = layout.Block(text)
		out := rendered(t, fenced(text)+"\nafter\n")
		code, rest, found := strings.Cut(out, "</code></pre>")
		if !found || strings.TrimSpace(rest) != "<p>after</p>" || strings.Contains(strings.TrimPrefix(code, `<pre><code class="language-text">`), "<") {
			t.Fatalf("%q came out of its block:\n%s", text, out)
		}
	})
}

// TestHostileTextsMakeNoElements puts texts that something would obey everywhere
// into a document, and looks for the elements that they would make.
func TestHostileTextsMakeNoElements(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, reporttest.Hostile()); err != nil {
		t.Fatal(err)
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
