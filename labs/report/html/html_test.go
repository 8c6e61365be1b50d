package html

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/report/document"
)

func written(t *testing.T, d document.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// part is what stands between two texts on a page.
func part(t *testing.T, page, begin, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, begin)
	inner, _, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("the page has nothing between %q and %q", begin, end)
	}
	return inner
}

// unpacked is a page's data.
func unpacked(t *testing.T, page string) map[string]any {
	t.Helper()
	var packed []byte
	if err := json.Unmarshal([]byte(part(t, page, `<script type="application/json" id="data">`, "</script>")), &packed); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSameDocumentGivesTheSamePage(t *testing.T) {
	for name, d := range map[string]document.Document{"sample": sample(), "hostile": hostile(), "empty": {}} {
		if written(t, d) != written(t, d) {
			t.Errorf("%s: two pages differ", name)
		}
	}
}

func TestTheDocumentStaysAsItWas(t *testing.T) {
	d := hostile()
	written(t, d)
	if diff := cmp.Diff(hostile(), d); diff != "" {
		t.Errorf("writing changed the document:\n%s", diff)
	}
}

func TestThePolicyAllowsTheOwnProgramAlone(t *testing.T) {
	page := written(t, sample())
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	meta := strings.NewReplacer("&#39;", "'", "&#43;", "+", "&#34;", `"`).Replace(part(t, page, `http-equiv="Content-Security-Policy" content="`, `"`))
	for _, want := range []string{
		"default-src 'none'", "style-src '" + hash(part(t, page, "<style>", "</style>")) + "'", "script-src '" + hash(part(t, page, "<script>", "</script>")) + "'",
	} {
		if !strings.Contains(meta, want) {
			t.Errorf("the policy %q lacks %q", meta, want)
		}
	}
	if strings.Contains(meta, "unsafe") {
		t.Errorf("the policy %q allows what is unsafe", meta)
	}
}

func TestThePageLoadsNothing(t *testing.T) {
	page := written(t, sample())
	for _, m := range regexp.MustCompile(`(?i)\s(?:src|href|action|srcset|poster)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") && m[1] != "data:," {
			t.Errorf("the page points to %q", m[1])
		}
	}
	style := part(t, page, "<style>", "</style>")
	if strings.Contains(style, "@import") || regexp.MustCompile(`url\([^#]`).MatchString(style) {
		t.Error("the style loads something")
	}
}

func TestNoTextBecomesMarkup(t *testing.T) {
	page := written(t, hostile())
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d script elements, want the data and the program", n)
	}
	markup := page[strings.LastIndex(page, `id="main"`):strings.Index(page, `<script type="application/json"`)]
	for _, bad := range []string{"<img", "<!--", "\u2028", "\u2029", "\x1b", "\x07", "\x00", "\u202e"} {
		if strings.Contains(markup, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !utf8.ValidString(page) {
		t.Error("the page is not UTF-8")
	}
	if !strings.Contains(markup, "&lt;/script&gt;&lt;script&gt;window.hacked=1") {
		t.Error("the text is not there as text")
	}
}

func TestNoDataIsMoreThanText(t *testing.T) {
	var look func(at string, value any)
	look = func(at string, value any) {
		switch v := value.(type) {
		case string:
			if i := strings.IndexFunc(v, func(r rune) bool {
				return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' || r == '\u2028' || r == '\u2029'
			}); i >= 0 {
				t.Errorf("%s has %q", at, v[i:min(len(v), i+8)])
			}
			for one := range strings.Lines(v) {
				if len(one) > longestLine+40 {
					t.Errorf("%s has a line of %d bytes", at, len(one))
				}
			}
		case []any:
			for _, inner := range v {
				look(at+"[]", inner)
			}
		case map[string]any:
			for key, inner := range v {
				look(at+"."+key, inner)
			}
		}
	}
	look("data", unpacked(t, written(t, hostile())))
}

func TestLongLinesAreCut(t *testing.T) {
	for name, text := range map[string]string{"ASCII": strings.Repeat("x", 1<<20), "wide": strings.Repeat("日", 1<<19), "control": strings.Repeat("\x1b[1m", 1<<18) + "end"} {
		got, cut := line(text)
		if len(got) > longestLine || !utf8.ValidString(got) || !cut {
			t.Errorf("%s: %d bytes, cut %t", name, len(got), cut)
		}
	}
	if got, cut := line("a\tb\x1b[31mc\x1b[0m"); got != "a    bc" || cut {
		t.Errorf("got %q, cut %t", got, cut)
	}
}

func TestLinesKeepTheirNanoseconds(t *testing.T) {
	d := sample()
	d.Pictures[0].Lines = []document.LinePicture{{At: 1.000000001, Text: "a"}, {At: 2.345678901, Text: "b", Container: 1}, {At: 2.345678902, Text: "c"}}
	got := linesOf(d.Pictures[0].Lines)
	want := lineData{
		At: []int64{1_000_000_001, 1_345_678_900, 1}, Of: []int{0, 1, 0}, Text: []string{"a", "b", "c"}, From: []lineFrom{{}, {Container: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerdictsStandBesideTheirLines(t *testing.T) {
	d := sample()
	scenarios, _ := scenariosOf(d)
	sources := sourcesOf(d, scenarios)
	rows := map[string]int{}
	for _, r := range scenarios[0].Rows {
		rows[r.Title] = r.Line
	}
	if diff := cmp.Diff(map[string]int{"apply job": 6, "the Job completes": 10, "the sidecar is killed": 15}, rows); diff != "" {
		t.Error(diff)
	}
	if n := len(sources[0].Lines[9].Verdicts); n != 4 {
		t.Errorf("%d verdicts beside line 10, want 4", n)
	}
	for _, e := range scenarios[0].Evidence {
		if e.Status == "fail" && (e.Source != "source-0-11" || e.Place != "job-sidecar/scenario.hcl, line 11") {
			t.Errorf("the evidence is of %s, %s", e.Source, e.Place)
		}
	}
}

func TestAnEmptyDocumentIsAPage(t *testing.T) {
	if page := written(t, document.Document{}); !strings.Contains(page, "How to reproduce") {
		t.Error("the page says nothing")
	}
}

func TestAPageWithoutPicturesHasItsVerdicts(t *testing.T) {
	d := sample()
	d.Pictures = nil
	if n := strings.Count(written(t, d), `class="outcome"`); n != 12 {
		t.Errorf("%d outcomes, want 12", n)
	}
}

// TestThePlainPage compares what is readable without the page's program.
func TestThePlainPage(t *testing.T) {
	page := written(t, sample())
	got := page[strings.Index(page, "<body>"):strings.Index(page, `<div id="tip"`)]
	got = regexp.MustCompile(`\n\s*\n+`).ReplaceAllString(got, "\n")
	file := filepath.Join("testdata", "sample.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with go test ./labs/report/html -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the page is not as %s (-update writes it):\n%s", file, diff)
	}
}

var update = flag.Bool("update", false, "write the golden files")

func BenchmarkWrite(b *testing.B) {
	d := large()
	for b.Loop() {
		if err := Write(&bytes.Buffer{}, d); err != nil {
			b.Fatal(err)
		}
	}
}
