package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// TestTheLanguageIsThatOfTheVerbs adds a verb to the program's: it is explained,
// completed, and in the schema.
func TestTheLanguageIsThatOfTheVerbs(t *testing.T) {
	verbs, err := action.Default().With(action.Verb{
		Block:   schema.Block{Type: "knock", Summary: "Knocks at a pod's door.", Example: "knock \"twice\" {}"},
		Timeout: "1m", Decode: func(action.Arguments) action.Action { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	program := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: os.Stderr, env: func(string) (string, bool) { return "", false }, verbs: verbs}
		if code := a.main(t.Context(), args); code != exitPass {
			t.Fatalf("lab %s: exit code %d", strings.Join(args, " "), code)
		}
		return out.String()
	}
	for _, args := range [][]string{{"explain"}, {"explain", "knock"}} {
		if out := program(args...); !strings.Contains(out, "Knocks at a pod's door.") {
			t.Errorf("lab %s does not explain the verb:\n%s", strings.Join(args, " "), out)
		}
	}
	if out := program("__complete", "explain", "kno"); !slices.Contains(strings.Split(out, "\n"), "knock") {
		t.Errorf("it is not completed: %s", out)
	}
	for _, args := range [][]string{{"schema"}, {"explain", "--json"}} {
		if out := program(args...); !json.Valid([]byte(out)) || !strings.Contains(out, `"knock"`) {
			t.Errorf("lab %s lacks the verb", strings.Join(args, " "))
		}
	}
}
