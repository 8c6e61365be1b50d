package console

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
)

const scenario = `
variable "password" {
  default   = "hunter2"
  sensitive = true
}
variable "images" { default = { main = "busybox:1.35", "side car" = "busybox:1.36" } }
locals {
  words = split(" ", "one two")
}
cluster "v129" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.v129]
  sleep "a little" { duration = "1s" }
}
`

// view is that of a scenario of which a pod was observed.
func view(t *testing.T) *replay.View {
	t.Helper()
	m, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(scenario)}}, "scenario.hcl", dsl.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	v := replay.Before(m, m.Scenarios[0], m.Clusters[0])
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v.Timeline = collectors.NewTimeline(began)
	for _, name := range []string{"web-1", "web-2"} {
		v.Timeline.Add(collectors.Record{Time: began, Source: collectors.SourceAPI, Type: collectors.TypePod,
			Object: collectors.Object{Kind: "Pod", Namespace: "lab", Name: name, UID: name},
			Pod: &collectors.Pod{Phase: "Pending", Status: "Pending", CreatedAt: began.Add(3 * time.Second), Containers: []collectors.Container{
				{Name: "main", Kind: collectors.KindMain}, {Name: "side.car", Kind: collectors.KindMain},
			}}})
	}
	return v
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, line, want string
		wrong            bool
	}{
		{"a value", `1 + 1`, "2\n", false},
		{"nothing", ``, "", false},
		{"a comment", `# 1 + 1`, "", false},
		{"observed", `pod.web-1.status`, "\"Pending\"\n", false},
		{"not observed", `pod.web-3.status == "Running"`, "(not observed)\n", false},
		{"null", `null`, "null\n", false},
		{"sensitive", `"it is ${var.password}"`, "(sensitive)\n", false},
		{"sensitive within", `{ a = var.password, b = 1 }`, "{a = (sensitive), b = 1}\n", false},
		{"a short object", `var.images`, `{main = "busybox:1.35", "side car" = "busybox:1.36"}` + "\n", false},
		{"a function of the scenario's folder", `fileexists("nothing")`, "false\n", false},
		{"several lines", `"a\nb\n"`, "<<EOT\na\nb\nEOT\n", false},
		{"control characters", `"a\n\u001b[31m"`, `"a\n\u001b[31m"` + "\n", false},
		{"a mistake", `1 +`, "Missing expression", true},
		{"what is not there", `var.image`, "images", true},
		{"no such function", `lenght("a")`, "length", true},
		{"names", `:names`, "var     images, password\nlocal   words\npod     web-1, web-2\n", false},
		{"references", `:refs pod.web-1.created_at < 1`, "pod.web-1.created_at = 3  # to 1s\n", false},
		{"references of none", `:refs 1`, "it has no references\n", false},
		{"references of a mistake", `:refs (`, "Error", true},
		{"explain", `:explain logged`, "logged(container, pattern): Whether", false},
		{"explain several", `:explain node`, "An object of that kind", false},
		{"explain an argument", `:explain expect.within`, "scenario.expect.within (duration): The condition must", false},
		{"explain an attribute", `:explain pod.container.exit_code`, "pod.container.exit_code (number): The exit code", false},
		{"explain nothing", `:explain expct`, `Did you mean "expect"?`, true},
		{"help", `:help`, ":refs EXPR", false},
		{"no such command", `:hlp`, `there is no command ":hlp"`, true},
		{"no time", `:at 3s`, "no recorded run is loaded", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			wrong, err := New(view(t)).Run(strings.NewReader(tt.line+"\n"), &out)
			if err != nil || (wrong > 0) != tt.wrong {
				t.Errorf("%d wrong, %v", wrong, err)
			}
			if exact := strings.HasSuffix(tt.want, "\n") || tt.want == ""; exact && out.String() != tt.want || !strings.Contains(out.String(), tt.want) {
				t.Errorf("got %q, want %q", out.String(), tt.want)
			}
			if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "\x1b") {
				t.Errorf("it shows what it must not: %q", out.String())
			}
		})
	}
}

func TestALineIsToldByItsNumber(t *testing.T) {
	var out strings.Builder
	wrong, err := New(view(t)).Run(strings.NewReader("1\n\n(\n:quit\n(\n"), &out)
	if err != nil || wrong != 1 || !strings.Contains(out.String(), "<console> line 3") {
		t.Errorf("%d wrong, %v:\n%s", wrong, err, out.String())
	}
	if _, err := New(view(t)).Run(strings.NewReader(strings.Repeat("(", MaxLine+1)), io.Discard); err == nil {
		t.Error("a line that is too long was taken")
	}
	if wrong, err := New(view(t)).Run(strings.NewReader(strings.Repeat("(", MaxLine-1)), io.Discard); err != nil || wrong != 1 {
		t.Errorf("deep brackets: %d, %v", wrong, err)
	}
}

func TestAnotherMoment(t *testing.T) {
	c := New(view(t))
	var asked []time.Duration
	c.Look = func(at time.Duration) (*replay.View, error) {
		asked = append(asked, at)
		v := view(t)
		v.Timeline = collectors.NewTimeline(time.Time{})
		return v, nil
	}
	var out strings.Builder
	wrong, err := c.Run(strings.NewReader("pod.web-1.status\n:at 1.5s\npod.web-1.status\n:at\n:at -3s\n:at soon\n"), &out)
	if err != nil || wrong != 2 || !strings.HasPrefix(out.String(), "\"Pending\"\n(not observed)\n") {
		t.Errorf("%d wrong, %v: %s", wrong, err, out.String())
	}
	if diff := cmp.Diff([]time.Duration{1500 * time.Millisecond, -1}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestLongValuesAreWhole(t *testing.T) {
	long := cty.StringVal(strings.Repeat("x", 500))
	v := cty.ObjectVal(map[string]cty.Value{
		"list":  cty.ListVal([]cty.Value{long}),
		"a key": cty.UnknownVal(cty.String), "n": cty.NumberIntVal(3), "secret": cty.StringVal("x").Mark(value.Sensitive),
	})
	want := "{\n  \"a key\" = (not observed)\n  list = [\n    \"" + strings.Repeat("x", 500) + "\",\n  ]\n  n = 3\n  secret = (sensitive)\n}"
	if diff := cmp.Diff(want, Format(v, 80)); diff != "" {
		t.Error(diff)
	}
	deep := cty.StringVal("end")
	for range 100 {
		deep = cty.TupleVal([]cty.Value{deep, cty.UnknownVal(cty.String)})
	}
	if got := Format(deep, 80); strings.Contains(got, "end") || len(got) > 10000 {
		t.Errorf("what is too deep became %d bytes", len(got))
	}
}

func TestComplete(t *testing.T) {
	tests := []struct {
		line  string
		want  []string
		start int
	}{
		{"targ", []string{"target"}, 0},
		{"1 + semv", []string{"semver("}, 4},
		{"var.", []string{"images", "password"}, 4},
		{"length(local.w", []string{"words"}, 13},
		{"pod.", []string{"web-1", "web-2"}, 4},
		{"pod.web-1.stat", []string{"status", "statuses"}, 10},
		{`pod.web-1.container["`, []string{`["main"]`, `["side.car"]`}, 19},
		{`pod.web-1.container["side.`, []string{`["side.car"]`}, 19},
		{`pod.web-1.container["side.car"].exit`, []string{"exit_code"}, 32},
		{`pod.web-1.containers[0].log.l`, []string{"lines"}, 28},
		{"deployment.web.cond", []string{"conditions"}, 15},
		{"target.min", []string{"minor"}, 7},
		{`"pod.`, nil, 5},
		{`"a" == pod.web-1.phas`, []string{"phase"}, 17},
		{"nothing.x", nil, 8},
		{`pod["web-1"]`, nil, 0},
		{"var.password.", nil, 13},
		{":ex", []string{":explain"}, 0},
	}
	c := New(view(t))
	for _, tt := range tests {
		words, start := c.Complete(tt.line)
		if diff := cmp.Diff(tt.want, words); diff != "" || start != tt.start {
			t.Errorf("%q: %q from %d, want %q from %d", tt.line, words, start, tt.want, tt.start)
		}
	}
}

// keyboard is a terminal at which somebody types.
type keyboard struct {
	io.Reader
	bytes.Buffer
}

func (k *keyboard) Read(p []byte) (int, error) { return k.Reader.Read(p) }

func TestInteractive(t *testing.T) {
	tests := []struct {
		name, keys string
		want       []string
	}{
		{"a value", "1 + 1\r", []string{"> 1 + 1", "\r\n2\r\n"}},
		{"one completion", "pod.web-1.pha\t\r", []string{"pod.web-1.phase", "\"Pending\""}},
		{"several", "pod.web-1.st\t\t\r", []string{"start_order  status  statuses"}},
		{"as far as is certain", "po\t.we\t1.pha\t\r", []string{"pod.web-1.phase"}},
		{"none", "nothing.x\t\r", []string{"Unknown variable"}},
		{"history", "1 + 2\r\x1b[A\r", []string{"3\r\n> 1 + 2\r\n3"}},
		{"quit", ":quit\r1 + 1\r", nil},
		{"interrupted", "1 +\x03", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &keyboard{Reader: strings.NewReader(tt.keys)}
			c := New(view(t))
			c.Width = 100
			if err := c.Interactive(k); err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(k.String(), want) {
					t.Errorf("the screen has %q, want %q", k.String(), want)
				}
			}
			if tt.name == "quit" && strings.Contains(k.String(), "2") {
				t.Errorf("it went on: %q", k.String())
			}
		})
	}
}

func FuzzLine(f *testing.F) {
	for _, line := range []string{"1 + 1", "pod.web-1", ":at 3", `pod["`, `:refs x["`, "{}[", `"${`, "[for x in pod : x]"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := New(view(t))
		if _, start := c.Complete(line); start < 0 || start > len(line) {
			t.Errorf("%q: a completion begins at %d", line, start)
		}
		var out strings.Builder
		if _, err := c.Run(strings.NewReader(line), &out); err != nil && len(line) < MaxLine {
			t.Errorf("%q: %v", line, err)
		}
		if strings.ContainsAny(out.String(), "\x1b\x07\x08\r") {
			t.Errorf("%q: control characters in %q", line, out.String())
		}
	})
}
