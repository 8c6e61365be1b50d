package text

import (
	"testing"
	"time"
)

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 340 * time.Millisecond: "0.3s", 59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m00s",
		102 * time.Second: "1m42s", time.Hour - 100*time.Millisecond: "1h00m", 125 * time.Minute: "2h05m", -time.Second: "-1.0s",
	} {
		if got := Elapsed(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
