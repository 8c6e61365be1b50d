# Prints containerd's events until standard input ends, and answers the questions
# that come on it. A command in a node outlives the client that asked for it; its
# input does not.
#
#   sh -c "$stream" sh ASK
#
# Each line of input is the name of a question. An event with that name is caused
# in containerd, and comes out of standard output behind all that containerd knew
# by then. Standard error has a line for each question: NAME where the event was
# caused, "NAME: REASON" where it was not.
#
# ASK is the perl program that causes the event. Where there is no perl, or it
# fails, a containerd namespace is made instead, which takes a process and a write
# to the disk. Nobody waits for its removal. What an earlier stream left behind is
# removed after the first.
make='trap "" TERM
exec </dev/null
if said=$(ctr --timeout 10s namespaces create "$1" 2>&1); then
  printf "%s\n" "$1" >&2
else
  printf "%s: %s\n" "$1" "$(printf "%s" "$said" | grep -v level=warning | tr "\n" " ")" >&2
fi
{
  ctr --timeout 10s namespaces remove "$1"
  if [ -n "$2" ]; then
    for old in $(ctr --timeout 10s namespaces ls -q | grep "^lab-probe-"); do
      ctr --timeout 10s namespaces remove "$old"
    done
  fi
} >/dev/null 2>&1 &'

exec 3<&0 </dev/null
ctr -n k8s.io events 'topic~="^/tasks/(create|start|exit|oom)"' 'topic~="^/(containers|namespaces)/(create|delete)"' 'topic=="/lab/probe"' 3<&- &
stream=$!
(
  if perl -MSocket -e 1 2>/dev/null; then
    trap 'kill "$perl" 2>/dev/null; exit' TERM
    perl -e "$1" "${CONTAINERD_ADDRESS:-/run/containerd/containerd.sock}.ttrpc" "$make" <&3 3<&- &
    perl=$!
    wait "$perl" && exec 3</dev/null
    trap - TERM
  fi
  first=first
  while read -r name; do
    sh -c "$make" sh "$name" "$first"
    first=
  done <&3 3<&-
  kill "$stream" 2>/dev/null
) >/dev/null &
guard=$!
exec 3<&-
wait "$stream"
code=$?
kill "$guard" 2>/dev/null
exit "$code"
