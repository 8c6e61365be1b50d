// Package nodemark finds the processes of a command on a node again: the command's
// environment has a mark, which what it starts inherits. So a command ends with
// all that it started, also after who ran it is no longer connected to it.
package nodemark

import (
	"crypto/rand"
	"time"
)

// variable has the mark in a command's environment.
const variable = "LAB_EXEC"

// CleanUp bounds the search for what a command left on a node.
const CleanUp = 10 * time.Second

// Mark is that of one command.
type Mark string

// New returns a mark that no other command has.
func New() Mark { return Mark(rand.Text()) }

// Env is the mark as NAME=VALUE.
func (m Mark) Env() string { return variable + "=" + string(m) }

// End is a command that ends what carries the mark: by SIGTERM, and by SIGKILL
// what is there a second later. It fails if something is left then. It runs where
// /proc has the node's processes, with a shell and the programs of busybox.
func (m Mark) End() []string { return []string{"sh", "-c", end, "sh", m.Env()} }

// It is over when twice in a row nothing is found, since a command may have been
// about to start. grep reads all files at once where it can separate by NUL, as
// GNU's does and busybox's does not.
const end = `
mark=$1; gone=0; round=0; zeros=
if echo x | grep -qz x 2>/dev/null; then zeros=yes; fi
marked() {
  if [ -n "$zeros" ]; then
    grep -lszxF -- "$mark" /proc/[0-9]*/environ | cut -d/ -f3
    return
  fi
  for p in /proc/[0-9]*; do
    if tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qxF -- "$mark"; then echo "${p#/proc/}"; fi
  done
}
while [ "$gone" -lt 2 ] && [ "$round" -lt 60 ]; do
  pids=$(marked)
  if [ -z "$pids" ]; then
    gone=$((gone + 1))
  else
    gone=0
    if [ "$round" -lt 10 ]; then kill -TERM $pids 2>/dev/null; else kill -KILL $pids 2>/dev/null; fi
  fi
  round=$((round + 1))
  sleep 0.1
done
[ "$gone" -ge 2 ]
`
