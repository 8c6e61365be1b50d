# A helper that must come after the app, to refresh its data on a shared
# volume. See README.md.

lab {
  name         = "post-sidecar"
  description  = "A helper that must come after the app: can a pod express that?"
  cluster_sets = ["standard"]
}

scenario "ordinary" {
  description = "The helper as an ordinary container: too early, delayed once, or polling."
  clusters    = values(cluster)

  locals {
    race = pod.race.container
    hold = pod.hold.container
    poll = pod.poll.container
  }

  apply "pods" {
    manifests = [file("race.yaml"), file("hold.yaml"), file("poll.yaml")]
  }

  expect "the second in the spec does not come after the app's work" {
    condition = ordered([local.race["app"].started_at, log_time(local.race["helper"], "^refreshed$"), log_time(local.race["app"], "^run 1 writes its defaults$")])
    within    = "90s"
  }

  expect "so the refresh is lost" {
    condition = logged(local.race["app"], "^run 1 serves version=default$")
    within    = "60s"
  }

  expect "the helper waits for a postStart hook of the app" {
    condition = ordered([log_time(local.hold["app"], "^run 1 writes its defaults$"), local.hold["helper"].started_at])
    within    = "90s"
  }

  expect "so the refresh is not lost" {
    condition = logged(local.hold["app"], "^run 1 serves version=fresh$")
    within    = "60s"
  }

  # The cost of the hook: the kubelet does not update the pod's status before it
  # returns.
  expect "the app is not ready before the hook returns" {
    condition = ordered([log_time(local.hold["app"], "^run 1 writes its defaults$"), local.hold["app"].ready_at])
  }

  expect "a helper that polls needs no order" {
    condition = ordered([local.poll["helper"].started_at, local.poll["app"].started_at, log_time(local.poll["app"], "^run 1 writes its defaults$"), log_time(local.poll["helper"], "^refreshed 1$")])
    within    = "60s"
  }

  # Only an ephemeral container can be added to a running pod, so only this kind
  # always starts after the app.
  patch "add the helper later" {
    object      = "pod/race"
    subresource = "ephemeralcontainers"
    patch = {
      spec = {
        ephemeralContainers = [{
          name         = "refresh"
          image        = "busybox:1.35"
          command      = ["sh", "-c", "echo version=fresh > /data/current; sleep 1"]
          volumeMounts = [{ name = "data", mountPath = "/data" }]
        }]
      }
    }
  }

  wait "the pod has it" {
    condition = contains(keys(local.race), "refresh")
    within    = "60s"
  }

  expect "an ephemeral container does come after the app" {
    condition = local.race["refresh"].kind == "ephemeral" && local.race["refresh"].exit_code == 0 && ordered([log_time(local.race["app"], "^run 1 serves version=default$"), local.race["refresh"].started_at, log_time(local.race["app"], "^run 1 serves version=fresh$")])
    within    = "60s"
  }

  signal "the app of hold ends" {
    pod       = "hold"
    container = "app"
  }

  signal "the app of poll ends" {
    pod       = "poll"
    container = "app"
  }

  expect "the app writes its defaults again" {
    condition = local.hold["app"].restarts == 1 && logged(local.hold["app"], "^run 2 serves version=default$")
    within    = "90s"
  }

  # The hook orders the start of the pod. Nothing starts the helper again. The app
  # says every 3 s what it serves.
  expect "the helper that was delayed is not started again" {
    condition = local.hold["helper"].restarts == 0 && length(local.hold["helper"].runs) == 1 && length(regexall("run 2 serves version=fresh", local.hold["app"].log.text)) == 0
    hold      = "8s"
  }

  expect "the helper that polls refreshes again" {
    condition = local.poll["helper"].restarts == 0 && logged(local.poll["helper"], "^refreshed 2$") && logged(local.poll["app"], "^run 2 serves version=fresh$")
    within    = "90s"
  }
}

scenario "native" {
  description = "The helper as a native sidecar: before the app, never after."
  clusters    = values(cluster)

  locals {
    before   = pod.before.container
    beside   = pod.beside.container
    deadlock = pod.deadlock.container
  }

  # Lenient, so that 1.27 drops restartPolicy as 1.28 without the gate does.
  apply "pods" {
    manifests        = [file("before.yaml"), file("beside.yaml")]
    field_validation = "warn"
  }

  # An init container with a probe is rejected if it cannot be a sidecar.
  apply "deadlock" {
    manifests        = [file("deadlock.yaml")]
    field_validation = "warn"
    expect_error     = !target.native_sidecars
  }

  expect "without native sidecars the probe is rejected" {
    when      = !target.native_sidecars
    condition = can(regex("startupProbe: Forbidden: may not be set for init containers", step.deadlock.error))
    message   = "The API server said: ${step.deadlock.error}"
  }

  wait "the helpers run" {
    condition = logged(local.before["helper"], "^refreshed$") && logged(local.beside["helper"], "^looking$")
    within    = "90s"
  }

  expect "without native sidecars the app waits for the helper, which does not end" {
    when      = !target.native_sidecars
    condition = pod.before.status == "Init:0/1" && pod.beside.status == "Init:0/1" && length(local.before["app"].runs) == 0 && length(local.beside["app"].runs) == 0
    within    = "30s"
    hold      = "8s"
  }

  expect "a sidecar refreshes before the app starts" {
    when      = target.native_sidecars
    condition = ordered([log_time(local.before["helper"], "^refreshed$"), local.before["app"].started_at, log_time(local.before["app"], "^writing the defaults$")])
    within    = "90s"
  }

  expect "so its refresh is lost" {
    when      = target.native_sidecars
    condition = logged(local.before["app"], "^serves version=default$")
    within    = "60s"
  }

  expect "a sidecar that polls refreshes after the app" {
    when      = target.native_sidecars
    condition = ordered([local.beside["helper"].started_at, local.beside["app"].started_at, log_time(local.beside["app"], "^writing the defaults$"), log_time(local.beside["helper"], "^refreshed 1$")])
    within    = "60s"
  }

  expect "so its refresh counts" {
    when      = target.native_sidecars
    condition = logged(local.beside["app"], "^serves version=fresh$")
    within    = "60s"
  }

  expect "and it is stopped when the app is done" {
    when      = target.native_sidecars
    condition = pod.beside.phase == "Succeeded" && ordered([local.beside["app"].finished_at, local.beside["helper"].finished_at])
    within    = "60s"
  }

  expect "a probe that waits for the app is a deadlock" {
    when      = target.native_sidecars
    condition = pod.deadlock.status == "Init:0/1" && local.deadlock["helper"].state == "running" && length(local.deadlock["app"].runs) == 0
    within    = "30s"
    hold      = "5s"
  }
}
