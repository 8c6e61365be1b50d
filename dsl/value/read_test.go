package value

import (
	"testing"
)

func TestTmp(t *testing.T) {
	s := observedScope()
	s.Pods["myapp-x1"].StatusesLack = "gone missing"
	for _, src := range []string{`pod.myapp-x1.statuses == ["a"]`, `!(pod.myapp-x1.statuses == ["a"])`, `!contains(pod.myapp-x1.statuses, "q")`, `length(regexall("x", pod.myapp-x1.container["main"].log.text)) == 0`} {
		f, diags := s.Find(parse(t, src))
		t.Log(src, Format(f.Value), f.Reads, f.Unseen, diags)
	}
}
