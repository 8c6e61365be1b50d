package replay_test

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/replay"
)

// variables are declared in the scenarios of these tests.
const variables = `
variable "word" {
  type    = string
  default = "a"
}
variable "count" {
  type    = number
  default = 1
}
variable "list" {
  type    = list(string)
  default = []
}
variable "secret" {
  type      = string
  default   = "hunter22"
  sensitive = true
}
`

// TestTheCommandThatRunsItAgain holds for the values that variables can have and
// for what is chosen of a run.
func TestTheCommandThatRunsItAgain(t *testing.T) {
	only := func(cluster string) func(string, string) bool {
		return func(_, c string) bool { return c == cluster }
	}
	const file = ` 'my lab/scenario.hcl'`
	for name, tt := range map[string]struct {
		given string
		keep  func(scenario, cluster string) bool
		want  string
	}{
		"defaults":            {"", nil, "lab run --cluster v129 --cluster v128 --scenario exits" + file},
		"one cluster":         {"", only("v128"), "lab run --cluster v128 --scenario exits" + file},
		"a word":              {`word = "b"`, nil, " --var word=b "},
		"words":               {`word = "it's $HOME"`, nil, ` --var 'word=it'"'"'s $HOME' `},
		"lines":               {`word = "a\nb"`, nil, " --var 'word=a\nb' "},
		"an empty word":       {`word = ""`, nil, " --var word= "},
		"a word that is null": {`word = null`, nil, "lab run --cluster"},
		"a number":            {`count = 7`, nil, " --var count=7 "},
		"a list":              {`list = ["a", "b c"]`, nil, ` --var 'list=["a", "b c"]' `},
		"the default itself":  {`word = "a"`, nil, "--scenario exits" + file},
		"a secret":            {`secret = "hunter23"`, nil, "--scenario exits" + file},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"scenario/scenario.hcl": variables + scenario}
			if tt.given != "" {
				files["scenario/given.labvars"] = tt.given + "\n"
			}
			d := documentOf(t, recorded(t, files), replay.DocumentOptions{Keep: tt.keep})
			if got := d.Reproduce.Command; !strings.Contains(got, tt.want) || !strings.HasSuffix(got, file) || strings.Contains(got, "hunter") {
				t.Errorf("got %s, want %q in it", got, tt.want)
			}
			if d.Reproduce.Host != "plan9/arm64" {
				t.Errorf("the host is %q", d.Reproduce.Host)
			}
		})
	}
}

func TestASecretWithoutADefaultIsNamed(t *testing.T) {
	declared := strings.Replace(variables, "  default   = \"hunter22\"\n", "", 1)
	d := documentOf(t, recorded(t, map[string]string{"scenario/scenario.hcl": declared + scenario}), replay.DocumentOptions{})
	if want := " --var 'secret=(sensitive)' "; !strings.Contains(d.Reproduce.Command, want) {
		t.Errorf("%q is not in %s", want, d.Reproduce.Command)
	}
}

// TestACommandWithoutAScenario holds for a run whose scenario was not kept, or
// cannot be read.
func TestACommandWithoutAScenario(t *testing.T) {
	for name, files := range map[string]map[string]string{"none": nil, "broken": {"scenario/scenario.hcl": "scenario {"}} {
		d := documentOf(t, recorded(t, files), replay.DocumentOptions{})
		if want := "lab run --cluster v129 --cluster v128 --scenario exits 'my lab/scenario.hcl'"; d.Reproduce.Command != want {
			t.Errorf("%s: %s, want %s", name, d.Reproduce.Command, want)
		}
	}
}
