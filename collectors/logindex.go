package collectors

// The bounds of the log lines that a Timeline keeps for each container. Older
// lines are dropped first, and counted; the run folder has them all.
const (
	// MaxLogLines is the greatest number of lines.
	MaxLogLines = 20000
	// MaxLogBytes is the greatest sum of their texts' bytes. The newest line
	// is kept whatever its size.
	MaxLogBytes = 8 << 20
)

// LogState is what is kept of a container's log.
type LogState struct {
	// Lines are in the order in which they arrived, all of TypeLog.
	Lines []Record
	// Dropped counts the lines that were let go, all older than Lines.
	Dropped int
}

// logKey names a container of a pod.
type logKey struct{ namespace, pod, uid, container string }

// lineIndex keeps the newest lines of one container.
type lineIndex struct {
	lines   []Record
	bytes   int
	dropped int
}

func (x *lineIndex) add(r Record) {
	x.lines = append(x.lines, r)
	x.bytes += len(r.Log.Text)
	for len(x.lines) > 1 && (len(x.lines) > MaxLogLines || x.bytes > MaxLogBytes) {
		x.bytes -= len(x.lines[0].Log.Text)
		x.lines[0] = Record{}
		x.lines = x.lines[1:]
		x.dropped++
	}
}

func keyOf(o Object, container string) logKey {
	return logKey{o.Namespace, o.Name, o.UID, container}
}

// addLog keeps a line; one without a Log is no line.
func (t *Timeline) addLog(r Record) {
	if r.Log == nil {
		return
	}
	key := keyOf(r.Object, r.Container)
	x := t.logs[key]
	if x == nil {
		x = &lineIndex{}
		t.logs[key] = x
	}
	x.add(r)
}

// Log is what is kept of a container's log. Lines whose record names the pod
// without a UID come first. The result's lines must not be changed.
func (t *Timeline) Log(pod Object, container string) LogState {
	var s LogState
	keys := []logKey{{pod.Namespace, pod.Name, "", container}}
	if pod.UID != "" {
		keys = append(keys, keyOf(pod, container))
	}
	for _, key := range keys {
		x := t.logs[key]
		if x == nil {
			continue
		}
		s.Dropped += x.dropped
		if s.Lines == nil {
			s.Lines = x.lines[:len(x.lines):len(x.lines)]
		} else {
			s.Lines = append(s.Lines, x.lines...)
		}
	}
	return s
}
