# Runs the stream, behind the program that adds to it what the node knows of the
# containers. Where there is no perl, or it cannot run that program, the stream
# comes as it is.
#
#   sh -c START
#
# The programs are the first lines of standard input: STREAM, ASK and ANNOTATE, each
# with a line "#end" behind it. On a node of a cluster that exists already a command
# is part of a URL, and they are too long for what may be in front of the API server.
newline='
'
program() {
  text=
  while IFS= read -r line || exit 1; do
    if [ "$line" = "#end" ]; then return; fi
    text=$text$line$newline
  done
}
program; stream=$text
program; ask=$text
program; annotate=$text
if perl -e "$annotate" </dev/null >/dev/null 2>&1; then
  exec perl -e "$annotate" sh -c "$stream" sh "$ask"
fi
exec sh -c "$stream" sh "$ask"
