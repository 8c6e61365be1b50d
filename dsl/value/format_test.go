package value

import (
	"testing"
	"time"
)

func TestNumbersAreWrittenAtOnce(t *testing.T) {
	began := time.Now()
	for src, want := range map[string]string{
		"1e100": "1e+100", "12": "12", "0.5": "0.5", "-1e-12": "-1e-12",
		"2e99999999": "2e99999999", "-3.5e9999999": "-3.5e9999999", "1e-99999999": "1e-99999999",
	} {
		expr, diags := ParseExpression([]byte(src), "test")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		v, _ := (&Scope{}).Eval(expr)
		if got := Format(v); got != want {
			t.Errorf("%s is written %s, want %s", src, got, want)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
