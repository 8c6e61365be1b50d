# Ends the engine that lab brought up, and brings it up again. The process stays
# the same to its end, and RESTART_PID names a file for its ID.
echo $$ >"$RESTART_PID"
pid=$(cat /var/run/docker.pid) || exit 1
kill "$pid"
while kill -0 "$pid"; do sleep 0.2; done
sleep 3
exec "$LAB_PROGRAM" engine up --yes
