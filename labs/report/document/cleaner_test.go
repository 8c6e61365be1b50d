package document_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestSecretsAreMaskedInTheirForms(t *testing.T) {
	const secret = "p<ss>\"w&rd\\~~~é???"
	const lines = "-----BEGIN KEY-----\r\nMIIEvQIBADAN\nshort\n"
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"none":                       {nil, "all of it", "all of it"},
		"empty":                      {[]string{""}, "all of it", "all of it"},
		"as it is":                   {[]string{secret}, "is " + secret + "!", "is (sensitive)!"},
		"twice":                      {[]string{"abcd"}, "abcdabcd", "(sensitive)(sensitive)"},
		"in base64":                  {[]string{secret}, base64.StdEncoding.EncodeToString([]byte(secret)), "(sensitive)"},
		"in base64 without padding":  {[]string{secret}, base64.RawStdEncoding.EncodeToString([]byte(secret)), "(sensitive)"},
		"in base64 for addresses":    {[]string{secret}, base64.RawURLEncoding.EncodeToString([]byte(secret)), "(sensitive)"},
		"in padded base64 for these": {[]string{secret}, base64.URLEncoding.EncodeToString([]byte(secret)), "(sensitive)"},
		"in JSON":                    {[]string{secret}, `{"a":` + string(quoted) + `}`, `{"a":"(sensitive)"}`},
		"in JSON of other writers":   {[]string{secret}, `{"a":"p<ss>\"w&rd\\~~~é???"}`, `{"a":"(sensitive)"}`},
		"a line of it":               {[]string{lines}, "key: MIIEvQIBADAN.", "key: (sensitive)."},
		"a line that is too short":   {[]string{lines}, "a short word", "a short word"},
		"all lines":                  {[]string{lines}, "<" + lines + ">", "<(sensitive)>"},
		"one in another":             {[]string{"abcd", "abcdefgh"}, "abcdefgh abcd", "(sensitive) (sensitive)"},
		"one in another, reversed":   {[]string{"abcdefgh", "abcd"}, "abcdefgh abcd", "(sensitive) (sensitive)"},
		"colours within":             {[]string{"abcd"}, "ab\x1b[31mcd", "(sensitive)"},
		"a control within":           {[]string{"abcd"}, "a\x00b\u202ecd", "(sensitive)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := document.NewCleaner(tt.secrets).Text(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestALineIsOneLine(t *testing.T) {
	c := document.NewCleaner([]string{"one\ntwo-and-more"})
	if got := c.Line("a\nb\r\nc one\ntwo-and-more d"); got != "a b c (sensitive) d" {
		t.Errorf("got %q", got)
	}
}

// FuzzCleaner holds for any text that it has no secret and nothing that a terminal
// would obey.
func FuzzCleaner(f *testing.F) {
	for _, text := range reporttest.HostileTexts {
		f.Add("somebody", text)
	}
	f.Add("(sens", "x(sens")
	f.Fuzz(func(t *testing.T, secret, text string) {
		c := document.NewCleaner([]string{secret})
		got := c.Text(text)
		if strings.Contains("(sensitive)", secret) || strings.Contains(secret, "(") || strings.Contains(secret, ")") {
			return // what stands for a secret has it, or makes a new one with what is beside it
		}
		if len(secret) > 3 && strings.Contains(got, secret) {
			t.Errorf("%q is in %q", secret, got)
		}
		if strings.ContainsAny(got, "\x1b\x00\r") {
			t.Errorf("%q would be obeyed", got)
		}
	})
}

// secretive is a document with a secret in each kind of place.
func secretive(secret string) document.Document {
	d := reporttest.Document()
	d.Report.Errors = []string{"the password is " + secret}
	d.Report.Clusters[0].FeatureGates = map[string]bool{secret: true}
	step := &d.Report.Runs[0].Steps[0]
	step.Verdict.Message = secret
	step.Verdict.Diagnostic = &diag.Diagnostic{Snippet: &diag.Snippet{Code: `password = "` + secret + `"`, HighlightStart: 12, HighlightEnd: 12 + len(secret)}}
	step.Verdict.References = []expect.Reference{{Expression: "var.password", Value: secret}}
	d.Pictures[0].Lines = []document.LinePicture{{Text: secret}}
	d.Pictures[0].Objects = []document.ObjectPicture{{Kind: "Job", Name: secret}}
	return d
}

func TestADocumentIsCleanEverywhereAndTheOriginalStays(t *testing.T) {
	const secret = "hunter2hunter2"
	d := secretive(secret)
	before, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	got := document.NewCleaner([]string{secret}).Document(d)
	if after, err := json.Marshal(d); err != nil || string(before) != string(after) {
		t.Errorf("the original is changed (%v)", err)
	}
	if got.Pictures[0].Lines[0].Text != secret {
		t.Error("lines are looked at again, which takes long")
	}
	got.Pictures[0].Lines = nil
	data, err := json.Marshal(got)
	if err != nil || strings.Contains(string(data), secret) {
		t.Errorf("the secret is in the document (%v)", err)
	}
	snippet := got.Report.Runs[0].Steps[0].Verdict.Diagnostic.Snippet
	if snippet.Code != `password = "(sensitive)"` || snippet.HighlightStart != 0 || snippet.HighlightEnd != len(snippet.Code) {
		t.Errorf("the snippet %+v highlights what is not there any more", snippet)
	}
	if !got.Report.Clusters[0].FeatureGates["(sensitive)"] {
		t.Errorf("gates: %v", got.Report.Clusters[0].FeatureGates)
	}
}

func TestAHighlightStaysWhereTheCodeDoes(t *testing.T) {
	d := secretive("hunter2hunter2")
	want := *d.Report.Runs[0].Steps[0].Verdict.Diagnostic.Snippet
	got := document.NewCleaner([]string{"another"}).Document(d)
	if diff := cmp.Diff(want, *got.Report.Runs[0].Steps[0].Verdict.Diagnostic.Snippet); diff != "" {
		t.Error(diff)
	}
}

// TestListsAreNeverNull holds that a list that the JSON form always has is an
// empty one, and not null, so that readers can go over it.
func TestListsAreNeverNull(t *testing.T) {
	d := document.NewCleaner(nil).Document(document.Document{Report: report.Report{Runs: []report.ScenarioRun{{}}}})
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"clusters", "steps", "pictures"} {
		if !strings.Contains(string(data), fmt.Sprintf("%q:[]", list)) {
			t.Errorf("%s is not an empty list in %s", list, data)
		}
	}
	if strings.Contains(string(data), `"errors"`) {
		t.Errorf("a list that may be missing is there: %s", data)
	}
}
