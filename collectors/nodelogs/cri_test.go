package nodelogs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

func TestParseCRI(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 60, time.UTC)
	for raw, want := range map[string]string{
		"2026-01-02T03:04:05.00000006Z stdout F text with  spaces ": "stdout false text with  spaces ",
		"2026-01-02T04:04:05.00000006+01:00 stderr P part":          "stderr true part",
		"2026-01-02T03:04:05.00000006Z stdout F":                    "stdout false ",
		"2026-01-02T03:04:05.00000006Z stdout F ":                   "stdout false ",
		"2026-01-02T03:04:05.00000006Z stdout P:more:tags x":        "stdout true x",
		"2026-01-02T03:04:05.00000006Z stdin F x":                   "",
		"2026-01-02T03:04:05.00000006Z stdout X x":                  "",
		"2026-01-02T03:04:05.00000006Z":                             "",
		"yesterday stdout F x":                                      "",
		"":                                                          "",
	} {
		l, ok := parseCRI([]byte(raw))
		got := ""
		if ok {
			got = fmt.Sprintf("%s %v %s", streamNames[l.stream], l.partial, l.text)
			if !l.at.Equal(at) || l.at.Location() != time.UTC {
				t.Errorf("%q: its time is %v", raw, l.at)
			}
		}
		if got != want {
			t.Errorf("parseCRI(%q) = %q, want %q", raw, got, want)
		}
	}
}

// FuzzCRI holds the parser to what a runtime would have written for it, and
// the text to its bounds.
func FuzzCRI(f *testing.F) {
	f.Add([]byte("2026-01-02T03:04:05.00000006Z stdout F text"))
	f.Add([]byte("2026-01-02T03:04:05+01:00 stderr P:x \xff\x00"))
	f.Add([]byte("2026-01-02T03:04:05Z stdout F " + strings.Repeat("é", MaxLine/2+1)))
	f.Add([]byte(" stdout F "))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, ok := parseCRI(raw)
		if !ok {
			return
		}
		tag := "F"
		if l.partial {
			tag = "P"
		}
		again, ok := parseCRI([]byte(l.at.Format(time.RFC3339Nano) + " " + streamNames[l.stream] + " " + tag + " " + string(l.text)))
		if !ok || !again.at.Equal(l.at) || again.stream != l.stream || again.partial != l.partial || !bytes.Equal(again.text, l.text) {
			t.Errorf("%q is %+v, and written again it is %+v", raw, l, again)
		}
		text, cut := textOf(l.text)
		if !utf8.ValidString(text) || cut != (len(l.text) > MaxLine) {
			t.Errorf("textOf(%q) = %q, %v", l.text, text, cut)
		}
		if !cut && utf8.Valid(l.text) && text != string(l.text) {
			t.Errorf("textOf(%q) = %q", l.text, text)
		}
	})
}

// FuzzMessages feeds any bytes to the reader of the script's messages.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("N ns_p_u/c 0\nF 1 ns_p_u/c 0 2026-01-02T03:04:05Z 0\nD 1 35\n2026-01-02T03:04:05Z stdout F text\nM 1\nT 1.50 1700000000 12.25\nE 1\nX ns_p_u/c\nR\nQ\nS x\n"))
	f.Add([]byte("L ns_p_u/c 1\nV ns_p_u/c 2\nD 9 1\nx"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := New(nil, collectors.SinkFunc(func(collectors.Record) {}), Options{Nodes: []string{"n"}, Namespace: "ns"})
		r := newReading(c.nodes[0], bytes.NewReader(sent), day, func() {})
		_ = r.all(t.Context()) // an error at most
		r.close()
		c.nodes[0].settle()
	})
}

// TestALineIsOneThoughTheNewsOfARotationIsLate writes a line of which the runtime
// had a part in the file that was rotated, and hears of the rotation late.
func TestALineIsOneThoughTheNewsOfARotationIsLate(t *testing.T) {
	var texts []string
	c := New(nil, collectors.SinkFunc(func(r collectors.Record) {
		if r.Log != nil {
			texts = append(texts, r.Log.Text)
		}
	}), Options{Nodes: []string{"n"}, Namespace: "ns"})
	in, out := io.Pipe()
	read := make(chan error, 1)
	r := newReading(c.nodes[0], in, day, func() {})
	go func() { read <- r.all(t.Context()) }()
	const tick = "T 1.00 1700000000 12.00\n"
	data := func(id int, line string) string { return fmt.Sprintf("D %d %d\n%s", id, len(line), line) }
	for _, sent := range []string{
		"N ns_p_u/c 0\nF 1 ns_p_u/c 0 2026-01-02T03:04:05Z 0\n" + data(1, "2026-01-02T03:04:05Z stdout P one \n"),
		"", // what is sent waits, here longer than a tick takes
		tick + "M 1\n" + tick + tick + "E 1\nF 2 ns_p_u/c 0 2026-01-02T03:04:06Z 0\n" + data(2, "2026-01-02T03:04:06Z stdout F line\n2026-01-02T03:04:06Z stdout P the end\n"),
		tick + tick,
	} {
		if sent == "" {
			<-time.After(1100 * time.Millisecond)
		}
		if _, err := io.WriteString(out, sent); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), <-read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one line", "the end"}, texts); diff != "" {
		t.Error(diff)
	}
}

func TestAQueueWaitsForItsReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var waits atomic.Int64
	q := newQueue(ctx, &waits)
	written := make(chan error, 1)
	go func() {
		defer q.close()
		for i := range 3 * queued {
			if _, err := fmt.Fprintf(q, "%06d", i); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for waits.Load() == 0 {
		<-time.After(time.Millisecond)
	}
	text, err := io.ReadAll(q)
	if err != nil || len(text) != 3*queued*6 || <-written != nil {
		t.Errorf("read %d bytes: %v", len(text), err)
	}
	full := newQueue(ctx, &waits)
	go func() {
		for {
			if _, err := full.Write([]byte("x")); err != nil {
				written <- err
				return
			}
		}
	}()
	cancel()
	if err := <-written; err == nil {
		t.Error("a write after the end did not fail")
	}
}

// BenchmarkReading reads 300,000 lines of 100 bytes from a node's file.
func BenchmarkReading(b *testing.B) {
	const lines = 300_000
	root := b.TempDir()
	dir := filepath.Join(root, "ns_myapp_uid-1", "main")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&text, "%s stdout F %08d %s\n", day.Add(time.Duration(i)).Format(time.RFC3339Nano), i, strings.Repeat("x", 90))
	}
	if err := os.WriteFile(filepath.Join(dir, "0.log"), text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		count := 0
		c := New(&fakeNode{root: root}, collectors.SinkFunc(func(collectors.Record) { count++ }),
			Options{Nodes: []string{"n"}, Namespace: "ns", Root: root, Dir: b.TempDir()})
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		if err := c.Reconcile(ctx); err != nil {
			b.Fatal(err)
		}
		cancel()
		if err := <-done; err != nil || count != lines {
			b.Fatalf("%d lines were read: %v", count, err)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
