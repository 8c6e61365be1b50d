package runtime

import (
	"strings"
	"testing"
	"time"
)

func TestParseLine(t *testing.T) {
	for name, test := range map[string]struct {
		line      string
		topic     string
		container string
		at        string
		exited    string
		fails     bool
	}{
		"start": {
			line:  `2026-05-28 13:05:26.050170601 +0000 UTC k8s.io /tasks/start {"container_id":"c1","pid":1234}`,
			topic: topicStart, container: "c1", at: "2026-05-28T13:05:26.050170601Z",
		},
		"exit": {
			line:  `2026-05-28 13:05:41.1 +0000 UTC k8s.io /tasks/exit {"container_id":"c1","id":"c1","pid":9,"exit_status":137,"exited_at":{"seconds":1780000000,"nanos":7}}`,
			topic: topicExit, container: "c1", at: "2026-05-28T13:05:41.1Z", exited: "2026-05-28T20:26:40.000000007Z",
		},
		"exit with a time as text": {
			line:  `2026-05-28 13:05:41 +0000 UTC k8s.io /tasks/exit {"container_id":"c1","id":"c1","exited_at":"2026-05-28T13:05:40.5Z"}`,
			topic: topicExit, container: "c1", at: "2026-05-28T13:05:41Z", exited: "2026-05-28T13:05:40.5Z",
		},
		"exit of an exec": {
			line:  `2026-05-28 13:05:41 +0000 UTC k8s.io /tasks/exit {"container_id":"c1","id":"e1"}`,
			topic: topicExit, at: "2026-05-28T13:05:41Z",
		},
		"another topic's payload is not read": {
			line: `2026-05-28 13:05:41 +0000 UTC k8s.io /snapshot/remove what {`, topic: "/snapshot/remove", at: "2026-05-28T13:05:41Z",
		},
		"a note": {
			line: `2026-05-28 13:05:41 +0000 UTC k8s.io /lab/container {"id":"c1","sandbox":true}`, topic: topicOwner, at: "2026-05-28T13:05:41Z",
		},
		"a note that cannot be read": {
			line: `2026-05-28 13:05:41 +0000 UTC k8s.io /lab/kernel {`, topic: topicKernel, at: "2026-05-28T13:05:41Z",
		},
		"no note":     {line: `2026-05-28 13:05:41 +0000 UTC k8s.io /lab/kernel`, topic: topicKernel, at: "2026-05-28T13:05:41Z"},
		"no payload":  {line: `2026-05-28 13:05:41 +0000 UTC k8s.io /tasks/start`, fails: true},
		"no time":     {line: `ctr: cannot unmarshal an event from Any`, fails: true},
		"bad payload": {line: `2026-05-28 13:05:41 +0000 UTC k8s.io /tasks/start {"container_id":1}`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := parseLine(test.line)
			if (err != nil) != test.fails {
				t.Fatalf("error %v", err)
			}
			if test.fails {
				return
			}
			if e.topic != test.topic || e.container() != test.container || e.at.Format(time.RFC3339Nano) != test.at {
				t.Errorf("event %+v, container %q", e, e.container())
			}
			if test.exited != "" && e.payload.ExitedAt.UTC().Format(time.RFC3339Nano) != test.exited {
				t.Errorf("exited at %v, want %v", e.payload.ExitedAt, test.exited)
			}
		})
	}
}

func TestALongLineIsBounded(t *testing.T) {
	var got []string
	w := &lineWriter{line: func(l string) error { got = append(got, l); return nil }}
	for range 40 {
		if _, err := w.Write([]byte(strings.Repeat("x", maxLine/20))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write([]byte("\nshort\n\nlast")); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0]) > 200 || got[1] != "short" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`2026-05-28 13:05:26.050170601 +0000 UTC k8s.io /tasks/start {"container_id":"c1","pid":1234}`)
	f.Add(`2026-05-28 13:05:41 +0000 UTC k8s.io /tasks/exit {"exited_at":{"seconds":9223372036854775807}}`)
	f.Add(`2026-05-28 13:05:41 +0000 UTC k8s.io /lab/container {"id":"c1","pod":"\u0000"}`)
	f.Add("       ")
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parseLine(line)
		if err == nil && e.topic == "" {
			t.Errorf("no topic and no error of %q", line)
		}
		_ = e.container()
	})
}

func FuzzStatuses(f *testing.F) {
	f.Add([]byte(`{"status":{"id":"a","startedAt":"2026-05-28T13:05:26.05Z","finishedAt":"0001-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"status":{"startedAt":1748437526050170601,"finishedAt":"0"}} [`))
	f.Fuzz(func(_ *testing.T, out []byte) { _, _ = parseStatuses(out) })
}
