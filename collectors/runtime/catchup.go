package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// catchUp records what the node knows of starts and ends that no stream reported.
// After a break it then closes the gap, with a loss, whatever the node knows:
// containers that were made and removed in between, and memory kills of which the
// kernel's log does not tell, are known to nobody. It is false where ctx ended
// before the node had answered.
func (n *node) catchUp(ctx context.Context) bool {
	found, err := n.inspect(ctx)
	n.learn() // before Ready: later a container may go before it is asked for
	if ctx.Err() != nil {
		return false
	}
	there := map[collectors.Object]bool{}
	for _, s := range found {
		n.lookups[s.ID] = known(identify(s.Labels))
		if who := identify(s.Labels); who != nil {
			there[who.pod] = true
		}
		if !s.StartedAt.IsZero() && !n.started[s.ID] {
			n.record(ctx, collectors.TypeTaskStart, s.StartedAt.Time, s.ID, identify(s.Labels), s.PID, 0)
		}
		if !s.FinishedAt.IsZero() && !n.exited[s.ID] {
			n.record(ctx, collectors.TypeTaskExit, s.FinishedAt.Time, s.ID, identify(s.Labels), s.PID, s.ExitCode)
		}
	}
	if !n.broken.IsZero() && err == nil {
		n.forsake(there)
	}
	switch {
	case !n.broken.IsZero() && err != nil:
		n.gap(n.broken, -1, fmt.Sprintf("%s; the node could not say what happened meanwhile: %v", n.reason, err))
	case !n.broken.IsZero():
		n.gap(n.broken, -1, n.reason+"; starts and ends of the containers that are still there were read afterwards")
	case err != nil:
		n.gap(time.Time{}, -1, fmt.Sprintf("what happened before the observation began is not known: %v", err))
	}
	return true
}

// forsake declares a gap that goes on of each pod that had containers before the
// break and has none now: how they ended, and whether they were started again,
// nobody knows any more.
func (n *node) forsake(there map[collectors.Object]bool) {
	for id := range n.started {
		l := n.lookups[id]
		if l == nil || slices.Contains(n.removed, id) {
			continue
		}
		select {
		case <-l.done:
		default:
			continue
		}
		if l.err != nil || l.identity == nil || there[l.identity.pod] {
			continue
		}
		there[l.identity.pod] = true
		n.c.sink.Add(collectors.Record{
			Time: time.Now(), Precision: time.Millisecond, Source: collectors.SourceRuntime, Type: collectors.TypeGap, Object: l.identity.pod,
			Gap: &collectors.Gap{From: n.broken, Count: -1, Reason: fmt.Sprintf("node %s: the pod was removed while the stream was broken", n.name)},
		})
	}
}

// status is what the runtime keeps of one container.
type status struct {
	ID         string            `json:"id"`
	StartedAt  criTime           `json:"startedAt"`
	FinishedAt criTime           `json:"finishedAt"`
	ExitCode   int               `json:"exitCode"`
	Labels     map[string]string `json:"labels"`
	PID        int               `json:"-"`
}

// criTime is a time of the CRI as crictl prints it. What never happened has a
// time of long ago, such as 1970 or the year 1.
type criTime struct{ time.Time }

// UnmarshalJSON reads RFC 3339, or nanoseconds since 1970 as a number or text.
func (t *criTime) UnmarshalJSON(text []byte) error {
	plain := strings.Trim(string(text), `"`)
	at, err := time.Parse(time.RFC3339Nano, plain)
	if err != nil {
		var nanos int64
		if json.Unmarshal([]byte(plain), &nanos) != nil {
			return fmt.Errorf("a time of the container runtime: %w", err)
		}
		at = time.Unix(0, nanos)
	}
	if at.Year() >= 2000 {
		t.Time = at.UTC()
	}
	return nil
}

// inspectScript prints the status of every container of the namespaces that
// are its arguments, or of all.
const inspectScript = `set -e
list() { crictl ps -a -q "$@"; }
if [ $# -eq 0 ]; then ids=$(list); else
  for ns; do ids="$ids $(list --label "io.kubernetes.pod.namespace=$ns")"; done
fi
for id in $ids; do crictl inspect -o json "$id" || gone="$gone $id"; done
for id in $gone; do
  if crictl ps -a -q --id "$id" | grep -q .; then echo "crictl cannot inspect $id" >&2; exit 1; fi
done`

// inspect asks the node for the status of its containers, oldest first.
func (n *node) inspect(ctx context.Context) ([]status, error) {
	cmd := append([]string{"sh", "-c", inspectScript, "sh"}, n.c.options.Namespaces...)
	out, err := n.output(ctx, "asking crictl in the node for its containers", cmd...)
	found, readErr := parseStatuses(out)
	if err != nil {
		return found, err
	}
	return found, readErr
}

// parseStatuses reads the documents that crictl printed one after another.
func parseStatuses(out []byte) ([]status, error) {
	var found []status
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var document struct {
			Status status `json:"status"`
			Info   struct {
				PID int `json:"pid"`
			} `json:"info"`
		}
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return found, fmt.Errorf("reading what crictl says about a container: %w", err)
		}
		document.Status.PID = document.Info.PID
		found = append(found, document.Status)
	}
	slices.SortStableFunc(found, func(a, b status) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return found, nil
}
