# A helper whose readiness, liveness or startup probe fails, or that crashes:
# what does it affect? See README.md.

lab {
  name         = "sidecar-health"
  description  = "A failing helper: what restarts, and what happens to the pod's readiness, its endpoints and STATUS?"
  cluster_sets = ["standard"]
}

scenario "classic" {
  description = "The helper is an ordinary container."
  clusters    = values(cluster)

  locals {
    app     = pod.web.container["app"]
    helper  = pod.web.container["helper"]
    startup = pod.startup.container
  }

  apply "pods" {
    manifests = [file("classic.yaml")]
  }

  expect "readiness: a helper that is not ready makes the pod not ready" {
    condition = local.app.state == "running" && local.helper.state == "running" && pod.web.ready == "1/2" && pod.web.phase == "Running" && !pod.web.conditions["Ready"]
    within    = "90s"
    hold      = "5s"
  }

  invariant "the app is never restarted" {
    condition = local.app.restarts == 0
  }

  expect "its address is one of notReadyAddresses" {
    condition = object("v1", "Endpoints", "web").subsets[0].notReadyAddresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "ready" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/ready"]
  }

  expect "when the helper is ready, the pod is ready" {
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

  expect "the pod is ready again, and the app has one run" {
    condition = pod.web.conditions["Ready"] && length(local.app.runs) == 1
    within    = "60s"
  }

  # restartPolicy is Never in this one. If it restarted the helper, the first
  # restart would come at once.
  expect "startup: the kubelet stops the helper, and does not start it again" {
    condition = local.startup["helper"].exit_code == 3 && local.startup["helper"].state == "terminated" && length(local.startup["helper"].runs) == 1
    within    = "90s"
    hold      = "10s"
  }

  # The helper is first in the list, and its probe fails for 10 s.
  expect "the app does not wait for the startup probe" {
    condition = ordered([local.startup["helper"].started_at, local.startup["app"].started_at, local.startup["helper"].finished_at])
  }

  expect "and keeps running" {
    condition = local.startup["app"].state == "running" && pod.startup.phase == "Running" && pod.startup.ready == "1/2" && pod.startup.status == "Error"
    within    = "60s"
    message   = "STATUS is ${pod.startup.status}, READY ${pod.startup.ready}, phase ${pod.startup.phase}."
  }

  # STATUS is Error when the helper has ended, and CrashLoopBackOff from the next
  # time that the kubelet syncs the pod: that can be the end of the back-off.
  expect "crash: the app runs while the helper is in its back-off" {
    condition = contains(["Error", "CrashLoopBackOff"], pod.crash.status) && pod.crash.container["helper"].restarts >= 1 && pod.crash.ready == "1/2" && pod.crash.phase == "Running" && pod.crash.container["app"].state == "running"
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}, READY is ${pod.crash.ready}."
  }

  expect "crash: STATUS says CrashLoopBackOff" {
    condition = contains(pod.crash.statuses, "CrashLoopBackOff")
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}."
  }
}

scenario "native" {
  description = "The helper is a native sidecar."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

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
    hold      = "5s"
    message   = "STATUS is ${pod.web.status}, READY ${pod.web.ready}."
  }

  expect "its address is one of notReadyAddresses" {
    condition = object("v1", "Endpoints", "web").subsets[0].notReadyAddresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "ready" {
    pod       = "web"
    container = "helper"
    command   = ["touch", "/state/ready"]
  }

  expect "when the sidecar is ready, the pod is ready" {
    condition = pod.web.conditions["Ready"] && pod.web.ready == "2/2"
    within    = "60s"
  }

  expect "its address is one of addresses: it gets traffic" {
    condition = object("v1", "Endpoints", "web").subsets[0].addresses[0].ip == pod.web.ip
    within    = "60s"
  }

  exec "not ready" {
    pod       = "web"
    container = "helper"
    command   = ["rm", "/state/ready"]
  }

  expect "when the sidecar is not ready any more, the pod gets no traffic" {
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

  expect "the pod is ready again, and the app has one run" {
    condition = pod.web.conditions["Ready"] && length(local.app.runs) == 1
    within    = "60s"
  }

  # restartPolicy is Never in this one: a sidecar is restarted anyway.
  expect "startup: the kubelet stops the sidecar and starts it again" {
    condition = length(pod.startup.container["helper"].runs) >= 2 && pod.startup.container["helper"].restarts >= 1 && pod.startup.container["helper"].runs[0].exit_code == 3
    within    = "90s"
  }

  expect "the pod stays Pending, and its app never starts" {
    condition = pod.startup.phase == "Pending" && length(pod.startup.container["app"].runs) == 0
    hold      = "10s"
  }

  expect "STATUS is Init: all the time" {
    condition = alltrue([for status in pod.startup.statuses : status == "Pending" || can(regex("^Init:", status))])
    message   = "STATUS went ${join(", ", pod.startup.statuses)}."
  }

  # STATUS reads as if the pod had not been initialized, but the phase is
  # Running. It is Init:Error when the sidecar has ended, and
  # Init:CrashLoopBackOff from the next time that the kubelet syncs the pod: that
  # can be the end of the back-off.
  expect "crash: the app runs while the sidecar is in its back-off" {
    condition = contains(["Init:Error", "Init:CrashLoopBackOff"], pod.crash.status) && pod.crash.container["helper"].restarts >= 1 && pod.crash.ready == "1/2" && pod.crash.phase == "Running" && pod.crash.container["app"].state == "running"
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}, READY is ${pod.crash.ready}."
  }

  expect "crash: STATUS says Init:CrashLoopBackOff" {
    condition = contains(pod.crash.statuses, "Init:CrashLoopBackOff")
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}."
  }

  expect "the pod counts as initialized, and is not ready" {
    condition = pod.crash.conditions["Initialized"] && !pod.crash.conditions["Ready"]
    within    = "60s"
  }

  expect "the crashes do not restart the app" {
    condition = pod.crash.container["app"].restarts == 0 && pod.crash.container["helper"].restarts >= 1
  }
}

scenario "coupled" {
  description = "The sidecar is in its back-off, and the app crashes: does the app have to wait too?"
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    app    = pod.coupled.container["app"]
    helper = pod.coupled.container["helper"]

    # Before it restarts an app, the kubelet asks whether the pod is initialized:
    # computeInitContainerActions in
    # pkg/kubelet/kuberuntime/kuberuntime_container.go (read in 1.28.15, 1.29.15,
    # 1.33.13, 1.36.3 and 1.37.0).
    # 1.28: yes, if an ordinary container was ever created
    # (hasAnyRegularContainerCreated).
    # 1.29 to 1.36: yes, if an ordinary container is created or running, or if the
    # last init container runs (a sidecar) or has completed. One that has exited
    # does not count: it could be of the sandbox before a reboot of the node.
    # 1.37: yes, if an ordinary container has started in the present sandbox
    # (HasAnyActiveRegularContainerStarted in pkg/kubelet/container/helpers.go).
    waits = target.minor >= 29 && target.minor < 37
  }

  apply "pod" {
    manifests = [file("coupled.yaml")]
  }

  # After its third run the sidecar waits for 20 s. The run's end marks the begin
  # of this; STATUS often says CrashLoopBackOff only when the wait is nearly over.
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

  expect "the app is restarted only when the sidecar runs again" {
    when      = local.waits
    condition = ordered([local.helper.runs[3].started_at, local.app.runs[1].started_at])
    message   = "The sidecar was back at ${local.helper.runs[3].started_at} s, the app at ${local.app.runs[1].started_at} s."
  }

  expect "the app is restarted while the sidecar is away" {
    when      = !local.waits
    condition = ordered([local.app.runs[1].started_at, local.helper.runs[3].started_at])
    message   = "The sidecar was back at ${local.helper.runs[3].started_at} s, the app at ${local.app.runs[1].started_at} s."
  }
}

scenario "uncoupled" {
  description = "The control: an init container that has completed is after the sidecar, so the app does not wait."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    app    = pod.uncoupled.container["app"]
    helper = pod.uncoupled.container["helper"]
  }

  apply "pod" {
    manifests = [file("uncoupled.yaml")]
  }

  # After its third run the sidecar waits for 20 s. The run's end marks the begin
  # of this; STATUS often says CrashLoopBackOff only when the wait is nearly over.
  wait "the sidecar is in its second back-off" {
    condition = length(local.helper.runs) == 3 && local.helper.runs[2].exit_code == 1
    within    = "120s"
  }

  signal "crash the app" {
    pod       = "uncoupled"
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

  expect "the app is restarted while the sidecar is away, on every version" {
    condition = ordered([local.app.runs[1].started_at, local.helper.runs[3].started_at])
    message   = "The sidecar was back at ${local.helper.runs[3].started_at} s, the app at ${local.app.runs[1].started_at} s."
  }

  expect "the init container does not run again" {
    condition = length(pod.uncoupled.container["setup"].runs) == 1
  }
}

scenario "without" {
  description = "The same manifests if native sidecars are unknown, or off."
  clusters    = [cluster.v127, cluster.v128]

  apply "probes" {
    manifests    = [file("native.yaml")]
    expect_error = !target.native_sidecars
  }

  expect "1.27 rejects the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.probes.error))
    message   = "The API server said: ${step.probes.error}"
  }

  # It drops restartPolicy first. Without it the probes are not valid.
  expect "1.28 without the gate rejects the probes" {
    when      = target.minor >= 28
    condition = can(regex("may not be set for init containers without restartPolicy=Always", step.probes.error))
    message   = "The API server said: ${step.probes.error}"
  }

  apply "crash" {
    manifests    = [file("native-crash.yaml")]
    expect_error = target.minor < 28
  }

  expect "the same STATUS as with a native sidecar" {
    when      = target.minor >= 28
    condition = contains(pod.crash.statuses, "Init:Error") && contains(pod.crash.statuses, "Init:CrashLoopBackOff")
    within    = "120s"
    message   = "STATUS went ${join(", ", pod.crash.statuses)}."
  }

  expect "but the pod is Pending, and the app never starts" {
    when      = target.minor >= 28
    condition = pod.crash.phase == "Pending" && pod.crash.ready == "0/1" && length(pod.crash.container["app"].runs) == 0
    hold      = "5s"
    message   = "READY is ${pod.crash.ready}, the phase ${pod.crash.phase}."
  }
}
