package run_test

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/run/runtest"
)

// refusals are steps x and what must become of them.
var refusals = []struct{ name, steps, want string }{
	{"an exit code", `exec "x" {
			pod     = "web"
			command = ["false", "no such file"]
		}`, "fail x: exit code 1: no such file"},
	{"any exit code", `exec "x" {
			pod              = "web"
			command          = ["false"]
			ignore_exit_code = true
		}`, "pass x: exit code 1"},
	{"expected", `exec "x" {
			pod          = "web"
			command      = ["false"]
			expect_error = true
		}`, "pass x: refused as expected: exit code 1"},
	{"expected, by a pattern", `exec "x" {
			pod          = "web"
			command      = ["false", "no such file"]
			expect_error = "code 1: no .* file$"
		}`, "pass x: refused as expected: exit code 1: no such file"},
	{"another than expected", `exec "x" {
			pod          = "web"
			command      = ["false", "no such file"]
			expect_error = "denied"
		}`, `fail x: refused, but not as expected: exit code 1: no such file does not match expect_error, "denied"`},
	{"expected, and done", `exec "x" {
			pod          = "web"
			command      = ["true"]
			expect_error = "denied"
		}`, `fail x: expect_error is "denied", but the command ended with exit code 0`},
	{"no expectation after all", `exec "x" {
			pod          = "web"
			command      = ["true"]
			expect_error = target.minor < 20
		}`, "pass x: exit code 0"},
	{"a text or false, and it is false", `exec "x" {
			pod          = "web"
			command      = ["true"]
			expect_error = target.minor < 20 ? "denied" : false
		}`, "pass x: exit code 0"},
	{"a text or false, and it is false, but refused", `exec "x" {
			pod          = "web"
			command      = ["false", "no such file"]
			expect_error = target.minor < 20 ? "denied" : false
		}`, "fail x: exit code 1: no such file"},
	{"a text or true, and it is true", `exec "x" {
			pod          = "web"
			command      = ["false", "no such file"]
			expect_error = target.minor < 20 ? "denied" : true
		}`, "pass x: refused as expected: exit code 1: no such file"},
	{"a text or false, and it is the text", `exec "x" {
			pod          = "web"
			command      = ["false", "no such file"]
			expect_error = target.minor > 20 ? "such file" : false
		}`, "pass x: refused as expected: exit code 1: no such file"},
	{"too slow", `exec "x" {
			pod     = "web"
			command = ["sleep", "60"]
			timeout = "100ms"
		}`, "fail x: the command did not end within 100ms"},
	{"deleted twice", `delete "x" {
			objects      = ["pod/other"]
			expect_error = "not found"
		}`, `pass x: refused as expected: pods "other" not found`},
	{"deleted, or not there", `delete "x" {
			objects          = "pod/other"
			ignore_not_found = true
		}`, "pass x: pod/other was not there"},
	{"a node that is not there", `node "x" {
			node   = "other"
			action = "cordon"
		}`, `fail x: the cluster has no node "other"`},
	{"not allowed", `exec "x" {
			host    = true
			command = ["true"]
		}`, "error x: a scenario may not run commands on this machine"},
	{"no such signal", `signal "x" {
			pod       = "web"
			container = "main"
			signal    = "TREM"
		}`, `error x: there is no signal "TREM"`},
	{"null", `exec "x" {
			pod     = step.web.stdout
			command = ["true"]
		}`, `error x: the argument "pod" of exec "x" is null or empty`},
	{"no node", `node "x" {
			node   = try(target.nodes[3], null)
			action = "cordon"
		}`, `error x: the argument "node" of node "x" is null or empty`},
	{"cannot be evaluated", `exec "x" {
			pod     = regex("zzz", pod.web.name)
			command = ["true"]
		}`, "error x: "},
}

func TestRefusalsAreJudged(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := do(t, t.Context(), &runtest.World{}, up+tt.steps+"\n  expect \"after\" { condition = true }\n", nil)
			got := lines(r)
			if !strings.HasPrefix(got[2], tt.want) {
				t.Errorf("got %q, want %q", got[2], tt.want)
			}
			after := "pass after"
			if !strings.HasPrefix(tt.want, "pass") {
				after = `skip after: step "x" could not be done`
			}
			if !strings.HasPrefix(got[3], after) {
				t.Errorf("after it: got %q, want %q", got[3], after)
			}
		})
	}
}
