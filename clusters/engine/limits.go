package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// limit is a kernel's limit that all nodes of all clusters of a host share.
type limit struct {
	// key is its name as sysctl has it.
	key string
	// want is enough.
	want int64
}

// inotifyLimits are more than kind's known issues advise ("pod errors due to
// too many open files": 512 and 524288). A cluster of one node takes 28
// instances, measured on 1.29.15, and each container's log that is followed
// through the API one more.
func inotifyLimits() []limit {
	return []limit{
		{key: "fs.inotify.max_user_instances", want: 1024},
		{key: "fs.inotify.max_user_watches", want: 524288},
	}
}

// file is where the limit is below /proc.
func (l limit) file() string {
	return filepath.Join("sys", strings.ReplaceAll(l.key, ".", "/"))
}

func (l limit) String() string { return fmt.Sprintf("%s=%d", l.key, l.want) }

// low are those limits that are known to be lower than wanted.
func (g ground) low() []limit {
	var low []limit
	for _, l := range inotifyLimits() {
		if now, err := g.number(l.file()); err == nil && now < l.want {
			low = append(low, l)
		}
	}
	return low
}

// sysctl is the command line that sets the limits.
func sysctl(limits []limit) string {
	words := []string{"sysctl", "-w"}
	for _, l := range limits {
		words = append(words, l.String())
	}
	return strings.Join(words, " ")
}

// raise returns the change that raises the limits, none where they are high
// enough, are not this host's, or may not be changed.
func (s survey) raise() []Change {
	if len(s.low) == 0 || !s.root || s.os != "linux" || s.hostVar != "" || s.answers && !s.local {
		return nil
	}
	return []Change{{Kind: changeLimits, Command: sysctl(s.low),
		Text: "Raise the kernel's inotify limits, which all clusters share, until the next boot; where they are used up, pods of all clusters fail."}}
}

// raiseLimits sets what is too low. Fewer clusters can be up at once where that
// fails; that is reported and is no failure.
func (w work) raiseLimits() {
	var errs []error
	for _, l := range w.ground.low() {
		text := strconv.FormatInt(l.want, 10) + "\n"
		errs = append(errs, os.WriteFile(filepath.Join(w.ground.proc, l.file()), []byte(text), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		w.tell(fmt.Sprintf("the limits stay as they are, and fewer clusters can be up at once: %v", err))
	}
}
