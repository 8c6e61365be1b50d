package reporttest

import (
	"strings"

	"github.com/kind-lab/lab/labs/report/document"
)

// HostileTexts are texts that a terminal, a page or Markdown would obey.
var HostileTexts = []string{
	"<script>alert(1)</script>", "</details></summary><img src=x onerror=alert(1)>", "a | b || c", "`code` ``` ```` ~~~", "# heading", "- item", "1. item", "12) item", "+ item",
	"* item", "> quote", "---", "===", "[a](javascript:alert(1))", "![a](x)", "<https://x.y>", "https://x.y/z", "www.x.y", "@somebody", "see #12", "&lt;b&gt; &amp;#60;",
	"\\`*_{}[]()#+-.!|\\", "\x1b[31mred\x1b[0m\x1b]0;t\x07", "two\nlines\r\n\r\n    code", "\xff\xfe\u202e", "$x$ ~~y~~ __z__ **w**", "line\\", "", " ", "|", "[^1]: note", "<!-- comment", "| --- |", strings.Repeat("|`<", 100),
}

// Secret is a word of HostileTexts that Hostile masks.
const Secret = "somebody"

// Hostile is a document with HostileTexts everywhere, in which Secret is masked.
func Hostile() document.Document {
	evil := strings.Join(HostileTexts, " ") + strings.Repeat("<script>\x1b[2J", 1<<10)
	d, fail := Document(), Fail()
	d.Report.Clusters[0].Error, d.Report.Errors = evil, []string{evil}
	d.Report.Runs[0].Description, d.Report.Runs[1].Scenario, d.Report.Runs[1].Steps[0].Name = evil, evil[:500], evil
	d.Report.Runs[2].Steps = append(d.Report.Runs[2].Steps, fail.Runs[6].Steps...)
	d.Report.Runs[2].Steps[5].Verdict.Reason = evil
	d.Pictures[1].Scenario, d.Pictures[1].Pods[0].Title, d.Pictures[1].Pods[0].Containers[0].Name = evil[:500], evil, evil
	d.Reproduce.Command = evil[:2000]
	return document.NewCleaner([]string{Secret}).Document(d)
}
