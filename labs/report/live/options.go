package live

import "time"

// Options say how a run is shown while it goes on.
type Options struct {
	// TTY says that the writer is a terminal, which can be written over.
	TTY   bool
	Color bool
	// Width is the terminal's number of columns; 0 means 100. Lines of logs
	// are cut to it on a terminal only.
	Width int
	// Size tells a terminal's columns and lines, 0 for what is not known; nil
	// means Width and 24. It is asked whenever the terminal is written to, so
	// that what is written fits one that is resized.
	Size func() (width, height int)
	// ASCII is as in Style.
	ASCII bool
	// Clusters are the names of the clusters in the plan's order.
	Clusters []string
	// Logs shows the lines that containers write, too.
	Logs bool
	// Verbose shows each state of a pod, and not only changes of its
	// STATUS and READY.
	Verbose bool
	// Now is the time; nil means time.Now. Tick makes the status lines of a
	// terminal go on; nil means ten times a second.
	Now  func() time.Time
	Tick <-chan time.Time
}
