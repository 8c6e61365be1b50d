package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// lastMomentVariable tells the test's lab when the last lab may begin.
const lastMomentVariable = "BATCH_TEST_LAST_MOMENT"

func lastMoment() time.Time {
	at, err := time.Parse(time.RFC3339Nano, os.Getenv(lastMomentVariable))
	if err != nil {
		panic(err)
	}
	return at
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name, how string
		until     time.Duration // from now; 0 for no limit
		stop      time.Duration
		args      []string
		code      int
		runs      int // how many labs begin
		want      []string
	}{
		{name: "time enough", how: "pass", until: time.Hour, stop: time.Hour, code: exitPass, runs: 2,
			want: []string{"2 of 2 labs as expected.\n"}},
		{name: "the last moment is while a lab runs", how: "slow", until: 2 * time.Second, stop: time.Hour, code: exitPass, runs: 1,
			want: []string{"gates        left out ", "no time: no lab begins after ", "1 of 1 labs as expected. Left out, not judged: gates."}},
		{name: "the last moment is over", how: "pass", until: -time.Second, code: exitPass, runs: 0,
			want: []string{"0 of 0 labs as expected. Left out, not judged: job-sidecar, gates."}},
		{name: "no second try after the last moment", how: "fails late", until: 2 * time.Second, args: []string{"-again"}, code: exitFail, runs: 1,
			want: []string{"job-sidecar  fail ", "not run once more: no time", "0 of 1 labs as expected."}},
		{name: "a lab is stopped", how: "hangs", stop: 2 * time.Second, args: []string{"-again"}, code: exitFail, runs: 1,
			want: []string{"job-sidecar  stopped ", "it had not ended by ", "0 of 1 labs as expected. Left out, not judged: gates."}},
		{name: "a lab that does not stop is killed", how: "stuck", stop: 2 * time.Second, args: []string{"-grace", "20ms"}, code: exitFail, runs: 1,
			want: []string{"job-sidecar  stopped ", "it had not ended by "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began, args := time.Now(), tt.args
			for flag, after := range map[string]time.Duration{"-until": tt.until, "-stop": tt.stop} {
				if after != 0 {
					at := began.Add(after).Format(time.RFC3339Nano)
					args = append(args, flag, at)
					if flag == "-until" {
						t.Setenv(lastMomentVariable, at)
					}
				}
			}
			code, stdout, stderr := invoke(t, tt.how, append(args, "run", "job-sidecar", "gates")...)
			if runs := strings.Count(stderr, "lab run "); runs != tt.runs || code != tt.code {
				t.Errorf("code %d after %d runs, want %d after %d:\n%s", code, runs, tt.code, tt.runs, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("standard output has no %q:\n%s", want, stdout)
				}
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}
