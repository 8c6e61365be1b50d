package value

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"
)

// markedCalls are calls of each function that keeps the marks of its arguments:
// S is a text, N a number, B a truth, L a list of numbers and M a map of texts.
// The functions that look things up by themselves have tests of their own.
func markedCalls() []string {
	return []string{
		`abs(N)`, `alltrue([B])`, `alltrue([true, B])`, `anytrue([B])`, `anytrue([false, B])`, `can(upper(S))`, `ceil(N)`,
		`cidrhost("10.0.0.0/8", N)`, `coalesce(S, "x")`, `concat(L, [1])`, `contains(L, 3)`, `contains([3], N)`, `contains([N], 3)`,
		`distinct(L)`, `fileexists(S)`, `flatten([L])`, `floor(N)`, `format("%s", S)`, `format("%d", N)`, `index([1, 2, 3], N)`, `index(L, 3)`,
		`join(",", [S])`, `join(S, ["a", "b"])`, `jsondecode("[${N}]")`, `jsonencode([S])`, `jsonencode(M)`, `keys(M)`, `length(S)`, `length(L)`,
		`lookup(M, "a", "x")`, `lookup({ "1" = 2 }, S, 3)`, `lookup({}, "a", S)`, `lower(S)`, `max(N, 9)`, `helm(S)`, `helm("x", { name = S })`, `kustomize(S)`, `kustomize("x", M)`, `max(1, N)`, `max(L...)`, `merge(M, { b = "x" })`,
		`merge({ b = "x" }, M)`, `min(N, 1)`, `one([S])`, `one([N])`, `ordered([N, 9])`, `ordered([9, N])`, `ordered(L)`, `precision(N)`, `range(N)`, `regex(S, "1")`,
		`regex("1", S)`, `regexall(S, "1")`, `regexall("1", S)`, `replace(S, "1", "2")`, `replace("1", S, "2")`, `replace("1", "1", S)`,
		`seconds("${N}s")`, `semver(S, "1")`, `semver("1", S)`, `slice([1, 2, 3, 4], 0, N)`, `slice(L, 0, 1)`, `sort([S])`, `split(",", S)`, `split(S, "a1b")`,
		`sum(L)`, `sum([N, 1])`, `templatefile("t.tpl", { x = S })`, `tolist(L)`, `tomap(M)`, `tonumber(S)`, `toset(L)`, `tostring(N)`,
		`trimspace(S)`, `try(S, "x")`, `try(upper(S), "x")`, `upper(S)`, `values(M)`, `yamldecode(S)`, `yamlencode(M)`,
		`N + 1`, `1 - N`, `N * 2`, `N / 2`, `N % 2`, `-N`, `!B`, `B && true`, `true && B`, `B || false`, `false || B`, `B ? 1 : 2`, `true ? S : "x"`,
		`N == 3`, `3 != N`, `S == "x"`, `N < 3`, `3 >= N`, `L == [1]`, `[S, 1]`, `{ a = S }`, `"a ${S}"`, `L[0]`, `M.a`,
		`[for x in L : x]`, `[for x in [1] : N]`, `{ for k, v in M : k => v }`, `L[*]`, `[for x in [1, 2] : x if B]`,
	}
}

// markedScope has the values of markedCalls under var, each with a mark; they
// are unknown where known is false.
func markedScope(m any, known bool) *Scope {
	vars := map[string]cty.Value{
		"s": cty.StringVal("1"), "n": cty.NumberIntVal(3), "b": cty.True,
		"l": cty.ListVal([]cty.Value{cty.NumberIntVal(3), cty.NumberIntVal(4)}),
		"m": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("x")}),
	}
	for name, v := range vars {
		if !known {
			v = cty.UnknownVal(v.Type())
		}
		vars[name] = v.Mark(m)
	}
	return &Scope{Vars: cty.ObjectVal(vars), Dir: fstest.MapFS{"t.tpl": {Data: []byte("${x}")}, "1": {}}}
}

// inVars writes the letters of a call as references.
func inVars(call string) string {
	return strings.NewReplacer("S", "var.s", "N", "var.n", "B", "var.b", "L", "var.l", "M", "var.m").Replace(call)
}

// TestMarksAreNeverLost holds that what is made of a marked value is marked: of
// what is sensitive, of what was read, and also while it is unknown.
func TestMarksAreNeverLost(t *testing.T) {
	read := Read{Stream: PodStream, Name: "x"}
	for _, call := range markedCalls() {
		t.Run(call, func(t *testing.T) {
			for _, known := range []bool{true, false} {
				for _, m := range []any{Sensitive, read} {
					v, diags := markedScope(m, known).EvalMarked(parse(t, inVars(call)))
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					if !v.HasMarkDeep(m) {
						t.Errorf("known %t: the mark %v is lost: %#v", known, m, v)
					}
				}
			}
		})
	}
}

func TestEachFunctionIsAskedForItsMarks(t *testing.T) {
	all := strings.Join(markedCalls(), "\n")
	byThemselves := []string{"file", "log_time", "logged", "object", "overlaps"}
	for _, name := range FunctionNames() {
		own := strings.Contains(strings.Join(byThemselves, " "), name)
		if !own && !strings.Contains(all, name+"(") {
			t.Errorf("no call of %s() is asked for its marks", name)
		}
	}
}

// TestAnUnknownArgumentMakesNoMistake holds that a call whose arguments are
// known one moment and unknown the other gives a value in both, of one type or
// of a type that is not known.
func TestAnUnknownArgumentMakesNoMistake(t *testing.T) {
	for _, call := range markedCalls() {
		known, _ := markedScope(Sensitive, true).Eval(parse(t, inVars(call)))
		unknown, diags := markedScope(Sensitive, false).Eval(parse(t, inVars(call)))
		if diags.HasErrors() {
			t.Errorf("%s: %v", call, diags)
			continue
		}
		if unknown.IsWhollyKnown() && !unknown.RawEquals(known) {
			t.Errorf("%s is %s while its arguments are unknown, and then %s", call, Format(unknown), Format(known))
		}
	}
}
