package collectors

import (
	"context"
	"io"
)

// Exec runs commands inside the nodes of a cluster.
type Exec interface {
	// NodeExec runs cmd in the node and returns when it has ended, with an
	// error if it did not end with 0. The command sees the end of its standard
	// input where stdin ends, also where this process dies. It is given up when
	// ctx ends. Each of stdin, stdout and stderr may be nil.
	NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error
}
