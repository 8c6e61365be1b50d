package expect

import (
	"testing"
	"time"
)

func TestSpansAreShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		7956 * time.Millisecond: "7.956s", 7955999999: "7.956s", 10 * time.Second: "10s", 250 * time.Millisecond: "0.25s", 3 * time.Minute: "3m",
	} {
		if got := span(d); got != want {
			t.Errorf("%d ns is %q, want %q", d, got, want)
		}
	}
}
