package value

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// secretScope has sensitive variables of each shape. Each secret holds
// "hunter2" or is a number that begins with 471.
func secretScope(t *testing.T) *Scope {
	t.Helper()
	user := func(name string) cty.Value { return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)}) }
	numbers := cty.ListVal([]cty.Value{cty.NumberIntVal(4712), cty.NumberIntVal(4711)})
	s := objectScope(t)
	s.Vars = cty.ObjectVal(map[string]cty.Value{
		"token":   cty.StringVal("hunter2").Mark(Sensitive),
		"long":    cty.StringVal(strings.Repeat("x", 50) + "hunter2").Mark(Sensitive),
		"pin":     cty.NumberIntVal(4711).Mark(Sensitive),
		"numbers": numbers.Mark(Sensitive),
		"each":    cty.ListVal([]cty.Value{cty.NumberIntVal(4712).Mark(Sensitive), cty.NumberIntVal(4711).Mark(Sensitive)}),
		"users":   cty.ListVal([]cty.Value{user("hunter2"), user("hunter2x")}).Mark(Sensitive),
		"inside":  cty.ListVal([]cty.Value{user("hunter2").Mark(Sensitive)}),
		"login":   user("hunter2").Mark(Sensitive),
		"map":     cty.MapVal(map[string]cty.Value{"a": cty.StringVal("hunter2")}).Mark(Sensitive),
		"plain":   cty.StringVal("visible"),
	})
	s.Extra = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"value": cty.StringVal("hunter2").Mark(Sensitive)})}
	s.ScenarioLocals = map[string]hcl.Expression{
		"login": parse(t, `{ user = var.login.name, host = "h" }`), "is": parse(t, `var.token == "x"`),
	}
	s.Dir = fstest.MapFS{"t.tpl": {Data: []byte("${seconds(token)}")}}
	return s
}

// shown is everything that is reported of an expression in a scope.
func shown(s *Scope, expr hcl.Expression) []string {
	v, diags := s.EvalMarked(expr)
	all := []string{Format(v)}
	if _, err := Truth(v); err != nil {
		all = append(all, err.Error())
	}
	for _, d := range append(diags, s.Examine(expr).Diags...) {
		all = append(all, d.Summary, d.Detail)
	}
	for _, ref := range s.References(expr) {
		all = append(all, ref.Expression, ref.Value)
	}
	for _, part := range s.Decisive(expr) {
		all = append(all, part.Difference)
		for _, ref := range part.Refs {
			all = append(all, ref.Expression, ref.Value)
		}
	}
	return all
}

func TestSensitiveValuesNeverShow(t *testing.T) {
	for _, src := range []string{
		`var.token`, `[var.token, 1]`, `{ a = var.token }`, `upper(var.token)`, `"at ${var.token}"`, `var.login`, `var.login.name`,
		`var.token == "x"`, `var.token == upper(var.token)`, `var.long == "x"`, `"x" == var.long`, `var.pin == 3`, `var.pin < 3`,
		`var.pin - 1 < 3`, `3 > var.pin`, `var.pin < target.minor`, `-var.pin == 3`, `var.login == { name = "x" }`, `{ name = "x" } == var.login`,
		`[var.login] == [{ name = "x" }]`, `[{ name = "x" }] == [var.login]`, `{ a = var.login } == { a = { name = "x" } }`,
		`[var.users] == [[{ name = "x" }, { name = "y" }]]`, `var.users == [{ name = "x" }]`, `[var.map] == [{ a = "x" }]`, `[var.long] == ["x"]`,
		`alltrue([for u in var.users : u.name == "x"])`, `anytrue([for u in var.users : u.name == "x"])`, `alltrue([for i, u in var.users : i > 0])`,
		`alltrue([for u in var.users : length(u.name) == 0])`, `alltrue([for u in var.inside : u.name == "x"])`,
		`alltrue([for k, n in var.map : n == "x"])`, `alltrue([for n in var.numbers : n < 5])`, `alltrue([for n in var.each : n < 5])`,
		`ordered(var.numbers)`, `ordered(var.each)`, `ordered([var.pin, 1])`, `ordered([1, var.pin, 2])`,
		`local.login.user == "x"`, `local.login == { user = "x", host = "h" }`, `local.is`, `each.value == "x"`,
		`seconds(var.token)`, `semver(var.token, "1")`, `semver("1", var.token)`, `tonumber(var.token)`, `regex(var.token, "a")`,
		`file(var.token)`, `cidrhost(var.token, 1)`, `templatefile("t.tpl", { token = var.token })`, `seconds(each.value)`, `semver(each.value, "1")`,
		`file(each.value)`, `pod[var.token].phase`, `pod[var.token].nope`, `jsondecode(var.token)`, `var.token && true`, `var.token ? 1 : 2`, `!var.token`,
		`var.token < 3`, `try(tonumber(var.token), "x") == "y"`, `var.login.nope`, `lookup(var.map, "a", "b") == "x"`, `contains([var.token], "x")`,
		`join(",", [var.token]) == "x"`, `sum(var.numbers) == 1`, `max(var.numbers...) == 1`, `one([var.token]) == "x"`,
		`split("u", var.token) == ["x"]`, `[for u in var.users : u.name] == ["x", "y"]`, `var.users[*].name == ["x", "y"]`,
	} {
		t.Run(src, func(t *testing.T) {
			s := secretScope(t)
			for _, text := range shown(s, parse(t, src)) {
				if strings.Contains(text, "hunter2") || strings.Contains(text, "HUNTER2") || strings.Contains(text, "471") {
					t.Errorf("it shows: %s", text)
				}
			}
		})
	}
}

// TestSecretObjectsNeverShow holds the same of Secrets that were observed.
func TestSecretObjectsNeverShow(t *testing.T) {
	for _, src := range []string{
		`secret.key.data`, `secret.key.data.token == "x"`, `secret.key.data == { token = "x" }`, `secret.key == null`, `secret.key`,
		`[secret.key.data] == [{ token = "x" }]`, `alltrue([for n, v in secret.key.data : v == "x"])`,
		`object("v1", "Secret", "key").data.token == "x"`, `seconds(secret.key.data.token)`, `semver(secret.key.data.token, "1")`,
		`tonumber(object("v1", "Secret", "key").data.token)`, `[for v in secret.key.data : seconds(v)]`,
	} {
		t.Run(src, func(t *testing.T) {
			for _, text := range shown(objectScope(t), parse(t, src)) {
				if strings.Contains(text, "aHVudGVyMg") {
					t.Errorf("it shows: %s", text)
				}
			}
		})
	}
}

// TestWhatIsNotSensitiveShows holds that the tests above look where values show.
func TestWhatIsNotSensitiveShows(t *testing.T) {
	for src, want := range map[string]string{
		`var.plain == "x"`:                                  `"visible"`,
		`upper(var.plain) == "x"`:                           `"VISIBLE"`,
		`[var.plain] == ["x"]`:                              `"visible"`,
		`seconds(var.plain)`:                                `visible`,
		`ordered([2, 1])`:                                   `element 2`,
		`alltrue([var.plain])`:                              ``,
		`{ a = var.plain } == {}`:                           `a is more`,
		`[for u in [{ name = var.plain }] : u.name == "x"]`: `"visible"`,
	} {
		if all := strings.Join(shown(secretScope(t), parse(t, src)), "\n"); !strings.Contains(all, want) {
			t.Errorf("%s shows %s, want %s in it", src, all, want)
		}
	}
}
