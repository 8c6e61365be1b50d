package action_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/dsl/action"
)

// block writes a step of a verb with arguments on lines of their own.
func block(verb string, arguments ...string) string {
	return verb + " \"x\" {\n" + strings.Join(arguments, "\n") + "\n}"
}

// formsOfObjects has, for the arguments of the verbs that change objects, what
// they may be and what is refused. The words must be in what is said; none means
// that it is accepted.
func formsOfObjects() map[string]form {
	return map[string]form{
		"apply: a text":                     {block("apply", `manifests = "a: 1"`), ""},
		"apply: a list":                     {block("apply", `manifests = ["a: 1", yamlencode({})]`), ""},
		"apply: what is known later":        {block("apply", `manifests = pod.web.metadata`), "metadata"},
		"apply: of an observed text":        {block("apply", `manifests = "name: ${pod.web.name}"`), ""},
		"apply: a number":                   {block("apply", `manifests = 3`), "manifests|3"},
		"apply: null":                       {block("apply", `manifests = null`), "manifests|null"},
		"apply: a list with a number":       {block("apply", `manifests = ["a", 3]`), "manifests"},
		"apply: a list with null":           {block("apply", `manifests = ["a", null]`), "manifests"},
		"apply: nothing":                    {block("apply"), "manifests|required"},
		"apply: a validation in capitals":   {block("apply", `manifests = "a"`, `field_validation = "WARN"`), ""},
		"apply: a validation by a variable": {block("apply", `manifests = "a"`, `field_validation = var.v`), `field_validation|"x"`},
		"apply: an observed validation":     {block("apply", `manifests = "a"`, `field_validation = target.name`), "target"},
		"delete: one":                       {block("delete", `objects = "pod/web"`), ""},
		"delete: with a group":              {block("delete", `objects = ["deployments.apps/web", "Pod/x.y-z"]`), ""},
		"delete: what is known later":       {block("delete", `objects = "pod/${pod.web.name}"`), ""},
		"delete: no name":                   {block("delete", `objects = "pod/"`), `"pod/"`},
		"delete: no kind":                   {block("delete", `objects = "/web"`), `"/web"`},
		"delete: two slashes":               {block("delete", `objects = "pod/a/b"`), `"pod/a/b"`},
		"delete: a blank":                   {block("delete", `objects = "pod/a b"`), `"pod/a b"`},
		"delete: a kind that is a number":   {block("delete", `objects = "1/web"`), `"1/web"`},
		"delete: at once":                   {block("delete", `objects = "pod/a"`, `grace_period = "0s"`), ""},
		"delete: before now":                {block("delete", `objects = "pod/a"`, `grace_period = "-1s"`), "grace_period|-1s"},
		"delete: a grace period by number":  {block("delete", `objects = "pod/a"`, `grace_period = 10`), `"10s"`},
		"delete: an unknown propagation":    {block("delete", `objects = "pod/a"`, `propagation = "forground"`), `"foreground"`},
		"delete: wait as a text":            {block("delete", `objects = "pod/a"`, `wait = "true"`), ""},
		"delete: wait as another text":      {block("delete", `objects = "pod/a"`, `wait = "no"`), "wait|true or false"},
		"patch: an object of an object":     {block("patch", `object = pod.web`, `patch = {}`), ".name"},
		"patch: a list of objects":          {block("patch", `object = ["pod/a"]`, `patch = {}`), "object"},
		"patch: a text":                     {block("patch", `object = "pod/a"`, `patch = "{}"`), ""},
		"patch: an unknown type":            {block("patch", `object = "pod/a"`, `patch = {}`, `type = "strategc"`), `"strategic"`},
		"patch: no patch":                   {block("patch", `object = "pod/a"`), "patch|required"},
		"patch: a subresource of a number":  {block("patch", `object = "pod/a"`, `patch = {}`, `subresource = []`), "subresource"},
	}
}

// formsOfCommands is formsOfObjects for the verbs that act on containers, nodes
// and this machine.
func formsOfCommands() map[string]form {
	return map[string]form{
		"exec: in a pod":                  {block("exec", `pod = "a"`, `container = "b"`, `command = ["c"]`), ""},
		"exec: on an observed node":       {block("exec", `node = target.nodes[0]`, `command = ["c"]`), ""},
		"exec: an observed command":       {block("exec", `pod = "a"`, `command = ["echo", pod.web.name]`), ""},
		"exec: a command with a number":   {block("exec", `pod = "a"`, `command = ["sleep", 3]`), "command"},
		"exec: three places":              {block("exec", `pod = "a"`, `node = "b"`, `host = true`, `command = ["c"]`), `"pod"`},
		"exec: an input of a number":      {block("exec", `pod = "a"`, `command = ["c"]`, `stdin = 3`), "stdin|3"},
		"exec: an exit code as a text":    {block("exec", `pod = "a"`, `command = ["c"]`, `ignore_exit_code = "x"`), "ignore_exit_code"},
		"signal: by name":                 {block("signal", `pod = "a"`, `container = "b"`, `signal = "SIGKILL"`), ""},
		"signal: by a number in a text":   {block("signal", `pod = "a"`, `container = "b"`, `signal = "9"`), ""},
		"signal: no container":            {block("signal", `pod = "a"`), "container|required"},
		"node: a service and no action":   {block("node", `service = "kubelet"`), "action|required"},
		"node: containerd":                {block("node", `action = "stop"`, `service = "containerd"`), ""},
		"node: an unknown service":        {block("node", `action = "stop"`, `service = "kublet"`), `"kubelet"`},
		"node: a service that is drained": {block("node", `action = "drain"`, `service = "kubelet"`), `"drain"`},
		"node: a node that is null":       {block("node", `action = "stop"`, `node = null`), "node|null"},
	}
}

// formsOfTimes is formsOfObjects for the verbs that wait or decide.
func formsOfTimes() map[string]form {
	return map[string]form{
		"sleep: the shortest":                {block("sleep", `duration = "1ns"`), ""},
		"sleep: nothing":                     {block("sleep", `duration = "0s"`), "duration"},
		"sleep: a local":                     {block("sleep", `duration = local.l`), `"x"`},
		"sleep: a timeout":                   {block("sleep", `duration = "1s"`, `timeout = "2s"`), "timeout"},
		"sleep: a refusal":                   {block("sleep", `duration = "1s"`, `expect_error = true`), "expect_error"},
		"wait: nothing to wait for":          {block("wait"), "condition|required"},
		"wait: null":                         {block("wait", `condition = null`), "condition|null"},
		"wait: a number":                     {block("wait", `condition = pod.web.container["a"].restarts`), "condition|number"},
		"wait: within nothing":               {block("wait", `condition = true`, `within = "0s"`), "within"},
		"wait: an outcome":                   {block("wait", `condition = true`, `outcome = false`), "outcome"},
		"expect: an outcome of a text":       {block("expect", `condition = true`, `outcome = "false"`), "outcome"},
		"expect: when it is null":            {block("expect", `condition = true`, `when = null`), "when|null"},
		"expect: an observed when":           {block("expect", `condition = true`, `when = target.minor > 28`), ""},
		"expect: a message of a list":        {block("expect", `condition = true`, `message = ["a"]`), "message"},
		"expect: a message of a number":      {block("expect", `condition = true`, `message = 3`), ""},
		"expect: a message that is observed": {block("expect", `condition = true`, `message = "is ${pod.web.status}"`), ""},
		"expect: hold by number":             {block("expect", `condition = true`, `hold = 5`), `"5s"`},
		"expect: a timeout":                  {block("expect", `condition = true`, `timeout = "5s"`), "timeout"},
		"invariant: within":                  {block("invariant", `condition = true`, `within = "5s"`), "within"},
		"invariant: a text":                  {block("invariant", `condition = pod.web.status`), "condition|string"},
	}
}

// formsOfLimits is formsOfObjects for the arguments of every verb that acts.
func formsOfLimits() map[string]form {
	return map[string]form{
		"a refusal that is null":            {block("apply", `manifests = "a"`, `expect_error = null`), "expect_error|null"},
		"a refusal of a list":               {block("apply", `manifests = "a"`, `expect_error = ["a"]`), "expect_error"},
		"a refusal by a pattern":            {block("apply", `manifests = "a"`, `expect_error = "^a.*(b|c)$"`), ""},
		"a refusal by the cluster":          {block("apply", `manifests = "a"`, `expect_error = target.minor < 29`), ""},
		"a refusal by a version":            {block("apply", `manifests = "a"`, `expect_error = target.minor < 29 ? "a" : "b"`), ""},
		"a refusal by a pattern of a local": {block("apply", `manifests = "a"`, `expect_error = "${local.l}["`), "regular expression"},
		"a timeout that is observed":        {block("apply", `manifests = "a"`, `timeout = target.name`), "target"},
		"a timeout without a unit":          {block("apply", `manifests = "a"`, `timeout = "5"`), `"5"`},
	}
}

// form is a step, and what is said about it.
type form struct{ step, words string }

// TestFormsOfArguments keeps, for each argument of each verb, what it may be and
// what is refused.
func TestFormsOfArguments(t *testing.T) {
	tests := map[string]form{}
	for _, forms := range []map[string]form{formsOfObjects(), formsOfCommands(), formsOfTimes(), formsOfLimits()} {
		maps.Copy(tests, forms)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, problems := read(t, tt.step)
			if tt.words == "" {
				if problems.HasErrors() {
					t.Errorf("refused: %v", problems)
				}
				return
			}
			if len(problems) != 1 || !problems.HasErrors() {
				t.Fatalf("%d problems: %v", len(problems), problems)
			}
			d := problems[0]
			for _, word := range strings.Split(tt.words, "|") {
				if !strings.Contains(d.Summary+d.Detail, word) {
					t.Errorf("%q is not in: %s", word, d)
				}
			}
			if d.Range == nil || d.Range.Start.Line < 6 {
				t.Errorf("the place is not in the step: %v", d.Range)
			}
		})
	}
}

// TestNamesOfTheAPI keeps that what is written in any case is decoded as the API
// writes it.
func TestNamesOfTheAPI(t *testing.T) {
	for given, want := range map[string]string{"strict": "Strict", "Warn": "Warn", "IGNORE": "Ignore"} {
		if got := one[*action.Apply](t, block("apply", `manifests = "a"`, `field_validation = "`+given+`"`)).FieldValidation; got != want {
			t.Errorf("field_validation %q is decoded as %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{"background": "Background", "Foreground": "Foreground", "ORPHAN": "Orphan"} {
		if got := one[*action.Delete](t, block("delete", `objects = "pod/a"`, `propagation = "`+given+`"`)).Propagation; got != want {
			t.Errorf("propagation %q is decoded as %q, want %q", given, got, want)
		}
	}
	for _, kind := range []string{"strategic", "merge", "json", "apply"} {
		if got := one[*action.Patch](t, block("patch", `object = "pod/a"`, `patch = {}`, `type = "`+strings.ToUpper(kind)+`"`)).Type; got != kind {
			t.Errorf("type %q is decoded as %q", kind, got)
		}
	}
}

// TestTimesOfSteps keeps how long a step can take, by what is written.
func TestTimesOfSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		step    string
		longest time.Duration
	}{
		"a timeout":            {block("apply", `manifests = "a"`, `timeout = "1m30s"`), 90 * time.Second},
		"a default timeout":    {block("signal", `pod = "a"`, `container = "b"`), 30 * time.Second},
		"a sleep":              {block("sleep", `duration = "1500ms"`), 1500 * time.Millisecond},
		"a wait with hold":     {block("wait", `condition = true`, `within = "10s"`, `hold = "5s"`), 15 * time.Second},
		"an expect of now":     {block("expect", `condition = true`), 0},
		"an expect with both":  {block("expect", `condition = true`, `within = "2s"`, `hold = "3s"`), 5 * time.Second},
		"an invariant":         {block("invariant", `condition = true`), 0},
		"a node's own timeout": {block("node", `action = "drain"`, `timeout = "9m"`), 9 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			steps, problems := read(t, tt.step)
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			if got := steps[0].Action.Times().Longest(); got != tt.longest {
				t.Errorf("got %s, want %s", got, tt.longest)
			}
		})
	}
}
