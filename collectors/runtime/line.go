package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// criNamespace is containerd's namespace of the containers that the kubelet
// asked for.
const criNamespace = "k8s.io"

// The topics that are read.
const (
	topicContainerCreate = "/containers/create"
	topicContainerDelete = "/containers/delete"
	topicNamespaceCreate = "/namespaces/create"
	topicTaskCreate      = "/tasks/create"
	topicStart           = "/tasks/start"
	topicExit            = "/tasks/exit"
	topicOOM             = "/tasks/oom"
	topicProbe           = "/lab/probe"
)

// The topics of the lines that annotate.pl adds, where it runs.
const (
	topicAnnotates = "/lab/annotates"
	topicOwner     = "/lab/container"
	topicKernel    = "/lab/kernel"
)

// maxLine bounds one line of ctr's output.
const maxLine = 1 << 20

// event is one line of `ctr events`.
type event struct {
	at        time.Time // when containerd published it
	namespace string
	topic     string
	payload   payload
	note      note
}

// payload has the fields of the events that are read.
type payload struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	ContainerID string    `json:"container_id"`
	PID         int       `json:"pid"`
	ExitStatus  uint32    `json:"exit_status"`
	ExitedAt    timestamp `json:"exited_at"`
}

// timestamp is a protobuf Timestamp as ctr prints it, {"seconds":…,"nanos":…},
// or a string in RFC 3339.
type timestamp struct{ time.Time }

// UnmarshalJSON reads either form.
func (t *timestamp) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte(`"`)) {
		return t.Time.UnmarshalJSON(text)
	}
	var parts struct {
		Seconds int64 `json:"seconds"`
		Nanos   int64 `json:"nanos"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if parts.Seconds != 0 || parts.Nanos != 0 {
		t.Time = time.Unix(parts.Seconds, parts.Nanos).UTC()
	}
	return nil
}

var errLine = errors.New("not a line of `ctr events`")

// parseLine reads a line such as
//
//	2026-01-02 15:04:05.123456789 +0000 UTC k8s.io /tasks/start {"container_id":"…","pid":1}
//
// The payload is read for the topics of this package alone.
func parseLine(line string) (event, error) {
	fields := strings.SplitN(line, " ", 7)
	if len(fields) < 6 {
		return event{}, fmt.Errorf("%w: %.200q", errLine, line)
	}
	at, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", strings.Join(fields[:3], " "))
	if err != nil || !strings.HasPrefix(fields[5], "/") {
		return event{}, fmt.Errorf("%w: %.200q", errLine, line)
	}
	e := event{at: at.UTC(), namespace: fields[4], topic: fields[5]}
	switch e.topic {
	case topicContainerCreate, topicContainerDelete, topicNamespaceCreate, topicTaskCreate, topicStart, topicExit, topicOOM, topicProbe:
	case topicOwner, topicKernel:
		if len(fields) == 7 {
			e.note = parseNote(fields[6])
		}
		return e, nil
	default:
		return e, nil
	}
	if len(fields) < 7 {
		return event{}, fmt.Errorf("%w: %.200q has no payload", errLine, line)
	}
	if err := json.Unmarshal([]byte(fields[6]), &e.payload); err != nil {
		return event{}, fmt.Errorf("%w: the payload of %.200q: %w", errLine, line, err)
	}
	return e, nil
}

// isAnswer says whether the event is one of lab's own, which a question caused.
func (e event) isAnswer() bool {
	return (e.topic == topicProbe || e.topic == topicNamespaceCreate) && strings.HasPrefix(e.payload.Name, probePrefix)
}

// container is the id of the container that the event is about; empty for an
// event about a process that was started in one by exec, and for others.
func (e event) container() string {
	switch e.topic {
	case topicContainerCreate, topicContainerDelete:
		return e.payload.ID
	case topicExit:
		if e.payload.ID != e.payload.ContainerID {
			return ""
		}
		return e.payload.ContainerID
	case topicTaskCreate, topicStart, topicOOM:
		return e.payload.ContainerID
	}
	return ""
}

// lineWriter cuts what is written to it into lines and hands them on. A line
// above maxLine is handed on as its beginning, which parseLine refuses.
type lineWriter struct {
	line    func(string) error
	pending []byte
	skip    bool
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			return n, w.hold(p)
		}
		if err := w.hold(p[:i]); err != nil {
			return 0, err
		}
		if err := w.flush(); err != nil {
			return 0, err
		}
		p = p[i+1:]
	}
}

func (w *lineWriter) hold(p []byte) error {
	if w.skip {
		return nil
	}
	w.pending = append(w.pending, p...)
	if len(w.pending) <= maxLine {
		return nil
	}
	w.skip = true
	text := fmt.Sprintf("line of more than %d bytes: %s", maxLine, w.pending[:100])
	w.pending = nil
	return w.line(text)
}

func (w *lineWriter) flush() error {
	if w.skip {
		w.skip = false
		return nil
	}
	text := string(w.pending)
	w.pending = w.pending[:0]
	if text == "" {
		return nil
	}
	return w.line(text)
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > maxTail {
		t.text = append([]byte(nil), t.text[len(t.text)-maxTail:]...)
	}
	return len(p), nil
}

// String is what was kept without warnings: ctr writes one about cgroup v1 at
// each call.
func (t *tail) String() string {
	var out strings.Builder
	for line := range strings.Lines(string(t.text)) {
		if !strings.Contains(line, "level=warning") {
			out.WriteString(line)
		}
	}
	return strings.TrimSpace(out.String())
}
