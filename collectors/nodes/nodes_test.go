package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// journals are nodes that print a journal in small pieces.
type journals struct {
	t    *testing.T
	text map[string]string
	fail map[string]string
}

func (j journals) NodeExec(_ context.Context, node string, _ io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	if want := "--since=@1767323045.000250"; cmd[0] != "journalctl" || cmd[len(cmd)-1] != want {
		j.t.Errorf("the node is asked %q, want %s", cmd, want)
	}
	for text := j.text[node]; text != ""; {
		n := min(7, len(text))
		if _, err := io.WriteString(stdout, text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	if said := j.fail[node]; said != "" {
		fmt.Fprintln(stderr, said)
		return errors.New("exit status 1")
	}
	return nil
}

var begin = time.Date(2026, 1, 2, 3, 4, 5, 250_000, time.UTC)

func entry(micros int64, message string) string {
	return fmt.Sprintf(`{"__REALTIME_TIMESTAMP":"%d","MESSAGE":%s,"_BOOT_ID":"b"}`+"\n", begin.UnixMicro()+micros, message)
}

func TestTheKubeletsMessagesAreKept(t *testing.T) {
	j := journals{t: t, text: map[string]string{
		"n1": entry(0, `"first"`) + entry(1500, `"a\nb\n"`) + entry(1_000_000, `[255,65,10]`) + entry(2_000_000, `null`),
		"n2": "",
	}}
	dir := t.TempDir()
	c := New(j, Options{Nodes: []string{"n1", "n2"}, Dir: dir, Begin: begin})
	select {
	case <-c.Ready():
	default:
		t.Error("it is not ready at once")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(c.Reconcile(t.Context()), c.Run(ctx)); err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]string{
		"n1": "2026-01-02T03:04:05.000250Z first\n2026-01-02T03:04:05.001750Z a\n  b\n2026-01-02T03:04:06.000250Z \uFFFDA\n",
		"n2": "",
	} {
		got, err := os.ReadFile(filepath.Join(dir, node, "kubelet.log"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", node, diff)
		}
	}
}

func TestWhatIsTooLongIsCut(t *testing.T) {
	j := journals{t: t, text: map[string]string{"n1": entry(0, `"first"`) + entry(1, `"second"`) + entry(2, `"x"`)}}
	dir := t.TempDir()
	if err := New(j, Options{Nodes: []string{"n1"}, Dir: dir, Begin: begin, Max: 40}).Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "n1", "kubelet.log"))
	want := "2026-01-02T03:04:05.000250Z first\n(2 more lines were left out: a file holds no more)\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestANodeThatCannotBeAsked(t *testing.T) {
	j := journals{t: t, text: map[string]string{"n1": entry(0, `"first"`), "n2": entry(0, `"other"`), "n3": "no json\n"}, fail: map[string]string{"n1": "No such container"}}
	dir := t.TempDir()
	err := New(j, Options{Nodes: []string{"n1", "n2", "n3"}, Dir: dir, Begin: begin}).Reconcile(t.Context())
	for _, want := range []string{"node n1", "No such container", "node n3", "reading the node's journal"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not have %q", err, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "n2", "kubelet.log")); err != nil || !strings.Contains(string(text), "other") {
		t.Errorf("the other node's: %q, %v", text, err)
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(entry(0, `"first"`)))
	f.Add([]byte(entry(0, `[255,65,-1,1e9]`)))
	f.Fuzz(func(t *testing.T, document []byte) {
		text, err := message(document)
		if err == nil && text != "" && !strings.HasSuffix(text, "\n") {
			t.Errorf("%q is no line", text)
		}
	})
}
