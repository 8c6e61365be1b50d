package nodelogs

import (
	"crypto/rand"
	"fmt"
	"time"
)

// sight says up to where a node's files are known: each that was there then is
// held open, or was read.
type sight struct {
	// at is not after that, by this machine's clock.
	at time.Time
	// state is the same for the command in the node; empty if it did not say.
	state string
}

// outage is a time in which nothing is read.
type outage struct {
	// since is up to when the files are known; zero if there is no outage.
	since  time.Time
	reason string
	// token is asked of the command that reads on. Its answer shows that all was
	// read that was written when it was asked.
	token string
	asked time.Time
}

// sees notes up to where the files are known. During an outage that is where it
// began: what came and went in it is not made good by what came later. The
// caller holds n.mu.
func (n *node) sees(s sight) {
	if n.outage.since.IsZero() && !s.at.Before(n.seen.at) {
		n.seen = s
	}
}

// broke begins an outage, unless one goes on. It is false if the files were
// never known.
func (n *node) broke(err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen.at.IsZero() {
		return false
	}
	n.outage.token = ""
	if n.outage.since.IsZero() {
		n.outage = outage{since: n.seen.at, reason: oneLine(err.Error())}
		// What is judged before the reading goes on must know.
		n.declare(n.outage.since, time.Time{}, -1, n.outage.reason)
		n.c.options.Warn(fmt.Sprintf("node %s: %s; beginning again where it was", n.name, n.outage.reason))
	}
	return true
}

// askAgain asks a command that begins after an outage to say when all was read.
// The caller holds n.mu.
func (n *node) askAgain() error {
	if n.outage.since.IsZero() {
		return nil
	}
	n.outage.token, n.outage.asked = rand.Text(), time.Now()
	return n.ask(n.outage.token)
}

// mend ends an outage: all was read that was there when the reading went on. The
// gap hides nothing if no container's files came or went unseen. The caller
// holds n.mu.
func (r *reading) mend() {
	n := r.n
	count, what := -1, "files of containers that came and went meanwhile were not seen"
	switch {
	case r.whole && r.lost:
		count, what = 0, "no container came or went meanwhile"
	case r.whole:
		count, what = 0, "nothing of them is lost"
	}
	n.declare(n.outage.since, time.Now(), count, n.outage.reason+"; the log files are read again: "+what)
	n.c.options.Warn(fmt.Sprintf("node %s: its log files are read on after %v; %s",
		n.name, time.Since(n.outage.since).Round(100*time.Millisecond), what))
	asked := n.outage.asked
	n.outage = outage{}
	n.sees(sight{at: asked})
}

// unread declares that anything may be missing up to now. The caller holds n.mu.
func (n *node) unread(reason string) {
	now := time.Now()
	from := n.outage.since
	if from.IsZero() {
		from = n.seen.at
	}
	if from.IsZero() {
		from = now
	}
	n.declare(from, now, -1, reason)
	n.outage = outage{}
	n.sees(sight{at: now})
}
