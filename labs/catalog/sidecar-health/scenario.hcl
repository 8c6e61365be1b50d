# A helper whose readiness, liveness or startup probe fails, or that crashes: who
# is concerned? README.md tells the story.

lab {
  name        = "sidecar-health"
  description = "A sick helper: who restarts, and what becomes of the pod's readiness, its endpoints and STATUS?"
}

cluster "v127" {
  kubernetes = "1.27"
}

cluster "v128" {
  kubernetes = "1.28"
}

cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}

cluster "v129" {
  kubernetes = "1.29"
}

cluster "v133" {
  kubernetes = "1.33"
}

cluster "v136" {
  kubernetes = "1.36"
}

cluster "v137" {
  kubernetes = "1.37"
}

scenario "classic" {
  description = "The helper is an ordinary container."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    app    = pod.web.container["app"]
    helper = pod.web.container["helper"]
  }

  apply "pods" {
    manifests = [file("classic.yaml")]
  }

  expect "readiness: a helper that is not ready makes the pod not ready" {
    condition = local.app.state == "running" && local.helper.state == "running" && pod.web.ready == "1/2" && pod.web.phase == "Running" && !pod.web.conditions["Ready"]
    within    = "90s"
  }

  invariant "the app is never restarted" {
    condition = local.app.restarts == 0
  }

  expect "its address is among those that are not ready" {
    condition = object("v1", "Endpoints", "web").subsets[0].notReadyAddresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "ready" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/ready"]
  }

  expect "once the helper is ready, so is the pod" {
    condition = pod.web.conditions["Ready"] && pod.web.ready == "2/2" && object("v1", "Endpoints", "web").subsets[0].addresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "sick" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/sick"]
  }

  expect "liveness: the kubelet stops the helper and starts it again" {
    condition = length(local.helper.runs) == 2 && local.helper.restarts == 1 && local.helper.state == "running" && local.helper.runs[0].exit_code == 3
    within    = "90s"
  }

  expect "the pod is ready again, with the app that it had" {
    condition = pod.web.conditions["Ready"] && length(local.app.runs) == 1
    within    = "60s"
  }

  # restartPolicy is Never in this one.
  expect "startup: the kubelet stops the helper, and does not start it again" {
    condition = pod.startup.container["helper"].exit_code == 3 && pod.startup.container["helper"].state == "terminated" && pod.startup.container["helper"].restarts == 0
    within    = "90s"
  }

  expect "the app did not wait for it, and runs on" {
    condition = pod.startup.container["app"].state == "running" && pod.startup.phase == "Running" && pod.startup.ready == "1/2" && pod.startup.status == "Error"
    within    = "60s"
    message   = "STATUS is ${pod.startup.status}, READY ${pod.startup.ready}, phase ${pod.startup.phase}."
  }

  expect "crash: STATUS is CrashLoopBackOff, and the app runs" {
    condition = pod.crash.status == "CrashLoopBackOff" && pod.crash.ready == "1/2" && pod.crash.phase == "Running" && pod.crash.container["app"].state == "running"
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}."
  }
}

scenario "native" {
  description = "The helper is a native sidecar."
  clusters    = [cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    app    = pod.web.container["app"]
    helper = pod.web.container["helper"]
  }

  apply "pods" {
    manifests = [file("native.yaml"), file("native-crash.yaml")]
  }

  expect "readiness: the app starts although the sidecar is not ready" {
    condition = local.app.state == "running" && local.helper.state == "running" && local.helper.started && !local.helper.ready && pod.web.phase == "Running"
    within    = "90s"
  }

  invariant "the app is never restarted" {
    condition = local.app.restarts == 0
  }

  expect "the pod is not ready" {
    condition = pod.web.ready == "1/2" && !pod.web.conditions["Ready"] && pod.web.status == "Running"
    within    = "60s"
    message   = "STATUS is ${pod.web.status}, READY ${pod.web.ready}."
  }

  expect "its address is among those that are not ready" {
    condition = object("v1", "Endpoints", "web").subsets[0].notReadyAddresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "ready" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/ready"]
  }

  expect "once the sidecar is ready, so is the pod" {
    condition = pod.web.conditions["Ready"] && pod.web.ready == "2/2"
    within    = "60s"
  }

  expect "it gets traffic" {
    condition = object("v1", "Endpoints", "web").subsets[0].addresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "not ready" {
    pod       = "web"
    container = "helper"
    command   = ["rm", "/state/ready"]
  }

  expect "a sidecar that is not ready any more takes the traffic from the pod" {
    condition = !pod.web.conditions["Ready"] && object("v1", "Endpoints", "web").subsets[0].notReadyAddresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "ready again" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/ready"]
  }

  wait "the pod is ready again" {
    condition = pod.web.conditions["Ready"]
    within    = "90s"
  }

  exec "sick" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/sick"]
  }

  expect "liveness: the kubelet stops the sidecar and starts it again" {
    condition = length(local.helper.runs) == 2 && local.helper.restarts == 1 && local.helper.state == "running" && local.helper.runs[0].exit_code == 3
    within    = "90s"
  }

  expect "the pod is ready again, with the app that it had" {
    condition = pod.web.conditions["Ready"] && length(local.app.runs) == 1
    within    = "60s"
  }

  # restartPolicy is Never in this one: a sidecar is restarted all the same.
  expect "startup: the kubelet stops the sidecar and starts it again" {
    condition = length(pod.startup.container["helper"].runs) >= 2 && pod.startup.container["helper"].restarts >= 1 && pod.startup.container["helper"].runs[0].exit_code == 3
    within    = "90s"
  }

  expect "the pod stays Pending, and its app is never started" {
    condition = pod.startup.phase == "Pending" && length(pod.startup.container["app"].runs) == 0
    hold      = "5s"
  }

  expect "STATUS never gets beyond Init" {
    condition = alltrue([for status in pod.startup.statuses : status == "Pending" || can(regex("^Init:", status))])
    message   = "STATUS went ${join(", ", pod.startup.statuses)}."
  }

  # That reads as if the pod had not begun. The phase knows better.
  expect "crash: STATUS is Init:CrashLoopBackOff, and the app runs" {
    condition = pod.crash.status == "Init:CrashLoopBackOff" && pod.crash.ready == "1/2" && pod.crash.phase == "Running" && pod.crash.container["app"].state == "running"
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}."
  }

  expect "the pod counts as initialized, and is not ready" {
    condition = pod.crash.conditions["Initialized"] && !pod.crash.conditions["Ready"]
    within    = "60s"
  }

  expect "the crashes do not touch the app" {
    condition = pod.crash.container["app"].restarts == 0 && pod.crash.container["helper"].restarts >= 1
  }
}

scenario "coupled" {
  description = "The sidecar waits in its back-off, and the app crashes: does the app have to wait too?"
  clusters    = [cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    app    = pod.coupled.container["app"]
    helper = pod.coupled.container["helper"]
  }

  apply "pod" {
    manifests = [file("coupled.yaml")]
  }

  # After its third run the sidecar waits for 20 s. Its end tells so: 1.37 shows
  # CrashLoopBackOff only when the back-off is over.
  wait "the sidecar is in its second back-off" {
    condition = length(local.helper.runs) == 3 && local.helper.runs[2].exit_code == 1
    within    = "120s"
  }

  signal "crash the app" {
    pod       = "coupled"
    container = "app"
  }

  wait "both ran again" {
    condition = length(local.helper.runs) >= 4 && length(local.app.runs) >= 2
    within    = "150s"
  }

  expect "the app crashed while the sidecar was away" {
    condition = ordered([local.helper.runs[2].finished_at, local.app.runs[0].finished_at, local.helper.runs[3].started_at]) && local.app.runs[0].exit_code == 1
    within    = "60s"
  }

  # In 1.28 a pod whose app once ran counts as initialized. From 1.29 on the
  # last sidecar has to run before the kubelet looks at the app; in 1.37 it need
  # not any more.
  expect "the app is restarted only once the sidecar runs again" {
    condition = ordered([local.helper.runs[3].started_at, local.app.runs[1].started_at])
    outcome   = target.minor >= 29 && target.minor < 37
    message   = "The sidecar was back at ${local.helper.runs[3].started_at} s, the app at ${local.app.runs[1].started_at} s."
  }
}

scenario "without" {
  description = "Where native sidecars are not known, or are off."
  clusters    = [cluster.v127, cluster.v128]

  apply "probes" {
    manifests    = [file("native.yaml")]
    expect_error = !target.native_sidecars
  }

  expect "1.27 refuses the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.probes.error))
    message   = "The API server said: ${step.probes.error}"
  }

  # It drops restartPolicy first, and then misses it.
  expect "1.28 without the gate refuses the probes" {
    when      = target.minor >= 28
    condition = can(regex("may not be set for init containers without restartPolicy=Always", step.probes.error))
    message   = "The API server said: ${step.probes.error}"
  }

  apply "crash" {
    manifests    = [file("native-crash.yaml")]
    expect_error = target.minor < 28
  }

  expect "the same STATUS as with a native sidecar, but Pending and without an app" {
    when      = target.minor >= 28
    condition = pod.crash.status == "Init:CrashLoopBackOff" && pod.crash.ready == "0/1" && pod.crash.phase == "Pending" && length(pod.crash.container["app"].runs) == 0
    within    = "120s"
  }
}
