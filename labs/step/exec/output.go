package exec

import (
	"fmt"
	"strings"
	"sync"

	"github.com/kind-lab/lab/labs/step"
)

// output keeps the first bytes that are written to it, step.MaxOutput at most,
// and takes any number.
type output struct {
	mu      sync.Mutex
	kept    []byte
	dropped int64
}

// Write never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fits := min(len(b), step.MaxOutput-len(o.kept))
	o.kept = append(o.kept, b[:fits]...)
	o.dropped += int64(len(b) - fits)
	return len(b), nil
}

// cut says whether more was written than is kept.
func (o *output) cut() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped > 0
}

// String is what is kept, with U+FFFD for what is not UTF-8, and a line that
// says how much is missing.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.ToValidUTF8(string(o.kept), "\uFFFD")
	if o.dropped == 0 {
		return text
	}
	return fmt.Sprintf("%s\n[cut: %d bytes more]\n", text, o.dropped)
}
