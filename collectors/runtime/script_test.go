package runtime

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fakeCtr plays ctr with files below $CTR: events are the lines of one, and
// namespaces are folders.
const fakeCtr = `#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift 2; done
case "$1 $2" in
"events "*) echo $$ >"$CTR/pid"; exec tail -n +1 -f "$CTR/events" ;;
"namespaces create")
  if [ -e "$CTR/refuses" ]; then
    echo 'time="now" level=warning msg="cgroup v1"' >&2
    cat "$CTR/refuses" >&2
    exit 1
  fi
  mkdir "$CTR/namespaces/$3" || exit 1
  echo "2026-01-02 15:04:05.1 +0000 UTC default /namespaces/create {\"name\":\"$3\"}" >>"$CTR/events" ;;
"namespaces remove") rmdir "$CTR/namespaces/$3" ;;
"namespaces ls") ls "$CTR/namespaces" ;;
*) echo "the fake has no $*" >&2; exit 1 ;;
esac
`

// script is a streamScript that runs on this machine, with this machine's shell
// and perl.
type script struct {
	dir      string
	programs string
	stdin    *os.File
	process  *os.Process
	events   chan printed
	// annotates is whether it says that it does.
	annotates atomic.Bool
	said      chan string
	ended     chan error
}

// printed is a line of the script's, read.
type printed struct {
	event
	line string
}

// newScript makes one. Only the programs of the names are on its PATH.
func newScript(t *testing.T, names ...string) *script {
	t.Helper()
	s := &script{dir: t.TempDir(), programs: programs(), events: make(chan printed, 100), said: make(chan string, 100), ended: make(chan error, 1)}
	for _, folder := range []string{"bin", "namespaces", "namespaces/default", "namespaces/lab-probe-old"} {
		if err := os.Mkdir(filepath.Join(s.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.write(t, "bin/ctr", fakeCtr)
	s.write(t, "events", "")
	for _, name := range append(names, "sh", "tail", "mkdir", "rmdir", "ls", "cat", "grep", "tr", "printf") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(s.dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *script) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (s *script) run(t *testing.T) {
	t.Helper()
	stdin, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = hold
	if _, err := io.WriteString(hold, s.programs); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", startScript)
	c.Env = []string{"PATH=" + filepath.Join(s.dir, "bin"), "CTR=" + s.dir, "CONTAINERD_ADDRESS=" + s.socket()}
	c.Stdin = stdin
	c.Stdout = &lineWriter{line: func(line string) error {
		e, err := parseLine(line)
		if err != nil {
			t.Error(err)
		}
		if e.topic == topicAnnotates {
			s.annotates.Store(true)
			return nil
		}
		s.events <- printed{e, line}
		return nil
	}}
	c.Stderr = &lineWriter{line: func(line string) error { s.said <- line; return nil }}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.process = c.Process
	go func() { s.ended <- c.Wait(); _ = stdin.Close() }()
}

func (s *script) socket() string { return filepath.Join(s.dir, "c.sock") }

// ends waits for the end of the command, and of all that has its output. It returns
// how it ended.
func (s *script) ends(t *testing.T, after string) error {
	t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(10 * time.Second):
		t.Errorf("the script goes on 10 s after %s", after)
		return nil
	}
}

func (s *script) ask(t *testing.T, name string) {
	t.Helper()
	if _, err := io.WriteString(s.stdin, name+"\n"); err != nil {
		t.Fatal(err)
	}
}

func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(10 * time.Second):
		t.Fatalf("no %s came in 10 s", what)
		panic("unreachable")
	}
}

// TestTheScriptCausesEvents asks where there is perl, and where it or its way
// fails, so that a namespace has to be made.
func TestTheScriptCausesEvents(t *testing.T) {
	for name, test := range map[string]struct {
		programs   []string
		perl       string
		containerd func(request) []byte
		namespace  bool
	}{
		"over ttrpc":          {programs: []string{"perl"}, containerd: takes},
		"ttrpc is refused":    {programs: []string{"perl"}, containerd: refuses, namespace: true},
		"ttrpc has no socket": {programs: []string{"perl"}, namespace: true},
		"perl breaks":         {perl: "#!/bin/sh\n[ \"$1\" = -MSocket ]\n", namespace: true},
		"perl is not whole":   {perl: "#!/bin/sh\nexit 2\n", namespace: true},
		"there is no perl":    {namespace: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, test.programs...)
			if test.perl != "" {
				s.write(t, "bin/perl", test.perl)
			}
			if test.containerd != nil {
				s.serve(t, test.containerd)
			}
			s.run(t)
			for _, name := range []string{"lab-probe-one", "lab-probe-two"} {
				s.ask(t, name)
				if said := receive(t, "answer", s.said); said != name {
					t.Errorf("the answer is %q, want %q", said, name)
				}
				e := receive(t, "event", s.events)
				if !e.isAnswer() || e.payload.Name != name || (e.topic == topicNamespaceCreate) != test.namespace {
					t.Errorf("event %+v", e)
				}
			}
			if test.namespace {
				s.emptied(t)
			}
			if got, want := s.annotates.Load(), len(test.programs) > 0; got != want {
				t.Errorf("the stream is annotated: %v, want %v", got, want)
			}
			if err := s.stdin.Close(); err != nil {
				t.Fatal(err)
			}
			_ = s.ends(t, "its input")
		})
	}
}

// emptied waits until no namespace of lab is left, also of an earlier stream.
func (s *script) emptied(t *testing.T) {
	t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for {
		left, err := filepath.Glob(filepath.Join(s.dir, "namespaces", "lab-probe-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("namespaces are left: %v", left)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func TestTheScriptSaysWhyItCausesNoEvent(t *testing.T) {
	for _, programs := range [][]string{{"perl"}, {}} {
		s := newScript(t, programs...)
		s.write(t, "refuses", "ctr: cannot connect:\n  *\n")
		s.run(t)
		s.ask(t, "lab-probe-one")
		if said := strings.TrimSpace(receive(t, "answer", s.said)); said != "lab-probe-one: ctr: cannot connect:   *" {
			t.Errorf("with %v: %q", programs, said)
		}
		if err := s.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		_ = s.ends(t, "its input")
	}
}

// TestTheScriptEndsWithCtr holds its input open.
func TestTheScriptEndsWithCtr(t *testing.T) {
	for _, programs := range [][]string{{"perl"}, {}} {
		s := newScript(t, programs...)
		s.run(t)
		s.ask(t, "lab-probe-one")
		receive(t, "answer", s.said)
		pid, err := os.ReadFile(filepath.Join(s.dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("kill", strings.TrimSpace(string(pid))).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := s.ends(t, "ctr's end"); err == nil || err.Error() != "exit status 143" {
			t.Errorf("it ended with %v, want ctr's own code", err)
		}
		s.emptied(t)
		if err := s.stdin.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// request is what ask.pl asks of containerd.
type request struct {
	service, method, topic, name string
}

// serve plays containerd's socket for shims: what it takes is an event.
func (s *script) serve(t *testing.T, answer func(request) []byte) {
	t.Helper()
	listener, err := net.Listen("unix", s.socket()+".ttrpc")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if err := s.serveOne(conn, answer); err != nil {
				t.Error(err)
			}
		}
	}()
}

func (s *script) serveOne(conn net.Conn, answer func(request) []byte) error {
	defer conn.Close()
	in := bufio.NewReader(conn)
	head := make([]byte, 10)
	if _, err := io.ReadFull(in, head); err != nil {
		return err
	}
	body := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(in, body); err != nil {
		return err
	}
	call := fields(body)
	forward := fields(fields(call[3])[1])
	event := fields(forward[4])
	r := request{service: string(call[1]), method: string(call[2]), topic: string(forward[3]), name: string(fields(event[2])[1])}
	said := answer(r)
	if len(said) == 0 {
		file, err := os.OpenFile(filepath.Join(s.dir, "events"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(file, "2026-01-02 15:04:05 +0000 UTC %s %s {\"name\":%q}\n", forward[2], r.topic, r.name)
		if err := file.Close(); err != nil {
			return err
		}
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(said)))
	_, err := conn.Write(append(append(frame, 0, 0, 0, 1, 2, 0), said...))
	return err
}

// takes is what containerd answers that forwards an event: an empty message.
func takes(r request) []byte {
	if r.service != "containerd.services.events.ttrpc.v1.Events" || r.method != "Forward" || r.topic != topicProbe {
		return refuses(r)
	}
	return nil
}

// refuses answers with the code of what is not implemented.
func refuses(request) []byte { return append([]byte{0x0a, 0x06, 0x08, 12, 0x12, 2}, "no"...) }

// fields are those of a protocol buffer that hold bytes, by their numbers.
func fields(message []byte) map[int][]byte {
	found := map[int][]byte{}
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		value, m := binary.Uvarint(message[n:])
		message = message[n+m:]
		if tag&7 == 2 {
			found[int(tag>>3)], message = message[:value], message[value:]
		}
	}
	return found
}
