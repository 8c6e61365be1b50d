package compare

import (
	"bytes"
	"errors"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// elements are those of a comparison's Markdown, and the text in them.
func elements(t *testing.T, c Comparison) (tagged, shown string) {
	t.Helper()
	var markdown, out bytes.Buffer
	if err := WriteMarkdown(&markdown, c); err != nil {
		t.Fatal(err)
	}
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert(markdown.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Join(tags.FindAllString(out.String(), -1), ""), html.UnescapeString(tags.ReplaceAllString(out.String(), ""))
}

// named with a text are the scenario, its description, a verdict, a pod, a
// container and an error of a cluster.
func namedWith(text string) []document.Document {
	d, other := sampleRun("r1"), sampleRun("r2")
	pod := document.PodPicture{Title: text, Containers: []document.ContainerPicture{ran(text, "main", runtimeAt, 0, 9, 3)}}
	gap := document.GapPicture{Source: text, To: 3}
	add(&d, text, cluster("a", "1.28.1"), document.Picture{Pods: []document.PodPicture{pod}, Gaps: []document.GapPicture{gap}}, verdict(text, text, expect.Pass))
	add(&d, text, cluster("b", "1.29.1"), document.Picture{}, verdict(text, "true", expect.Fail))
	add(&d, text+"2", cluster("a", "1.28.1"), document.Picture{})
	add(&other, text, cluster("a", "1.28.1"), document.Picture{}, verdict(text, "false", expect.Fail))
	d.Report.Runs[0].Description = text
	return []document.Document{d, other}
}

// TestNamesMakeNoElements holds that a comparison of hostile names has the
// elements of one of plain names, and shows them.
func TestNamesMakeNoElements(t *testing.T) {
	for name, only := range map[string]int{"clusters": 1, "runs": 2} {
		plain, _ := elements(t, Compare(namedWith("x")[:only], Options{}))
		for _, text := range append([]string{"    code", "\tcode", "7. 8", "-", "+ + x"}, reporttest.HostileTexts...) {
			clean := strings.Join(strings.Fields(layout.Clean(text)), " ")
			if clean == "" || strings.Contains(text, "\xff") {
				continue
			}
			got, shown := elements(t, Compare(namedWith(text)[:only], Options{}))
			if got != plain {
				t.Errorf("%s, %q became other elements:\n%s\nwant\n%s", name, text, got, plain)
			}
			shown = strings.Join(strings.Fields(shown), " ")
			if !strings.Contains(shown, clean) || clean[0] != '\\' && strings.Contains(shown, `\`+clean) {
				t.Errorf("%s, %q is not shown in %q", name, text, shown)
			}
		}
	}
}

func TestWritingFails(t *testing.T) {
	c := Compare([]document.Document{threeSidecars("r")}, Options{})
	for name, err := range map[string]error{"text": WriteText(reporttest.BrokenWriter{}, c, layout.Style{}), "markdown": WriteMarkdown(reporttest.BrokenWriter{}, c)} {
		if !errors.Is(err, reporttest.ErrFull) {
			t.Errorf("%s: got %v, want the writer's error", name, err)
		}
	}
}
