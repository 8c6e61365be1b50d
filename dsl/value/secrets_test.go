package value

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

func TestSecretsAreRedacted(t *testing.T) {
	vars := cty.ObjectVal(map[string]cty.Value{
		"password": cty.StringVal("hunter2").Mark(Sensitive),
		"short":    cty.StringVal("abc").Mark(Sensitive),
		"list":     cty.ListVal([]cty.Value{cty.StringVal("hunter2hunter2"), cty.StringVal("hunter2")}).Mark(Sensitive),
		"plain":    cty.StringVal("visible"),
	})
	secrets := Secrets(vars, cty.NilVal)
	if diff := cmp.Diff([]string{"hunter2hunter2", "hunter2"}, secrets); diff != "" {
		t.Error(diff)
	}
	if got, want := Redact("abc visible hunter2 xhunter2hunter2y", secrets), "abc visible (sensitive) x(sensitive)y"; got != want {
		t.Errorf("redacted to %q, want %q", got, want)
	}
}
