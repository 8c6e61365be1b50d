# An init container that needs the network of a service mesh. See README.md.

lab {
  name         = "init-in-mesh"
  description  = "An init container that needs the mesh's proxy: which position must the proxy have?"
  cluster_sets = ["standard"]
}

scenario "classic" {
  description = "The proxy is an ordinary container: the init container never reaches it."
  clusters    = values(cluster)

  locals {
    fetch = pod.classic.container["fetch"]
    proxy = pod.classic.container["proxy"]
    app   = pod.classic.container["app"]
  }

  apply "pod" {
    manifests = [file("classic.yaml")]
  }

  expect "the init container fails, and is tried again" {
    condition = local.fetch.exit_code == 1 && local.fetch.restarts >= 1
    within    = "90s"
  }

  expect "nothing listens on the proxy's port" {
    condition = logged(local.fetch, "Connection refused") && logged(local.fetch, "no network")
    within    = "60s"
  }

  expect "kubectl shows Init:CrashLoopBackOff" {
    condition = contains(pod.classic.statuses, "Init:CrashLoopBackOff")
    within    = "60s"
    message   = "STATUS went ${join(", ", pod.classic.statuses)}."
  }

  # Each waits for the other: the proxy starts when the init container has
  # succeeded, and the init container needs the proxy to succeed.
  expect "neither the proxy nor the app ever starts" {
    condition = length(local.proxy.runs) == 0 && length(local.app.runs) == 0 && pod.classic.phase == "Pending"
    hold      = "5s"
  }
}

scenario "second" {
  description = "The proxy is a native sidecar, but after the init container: that does not help."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    fetch = pod.second.container["fetch"]
    proxy = pod.second.container["proxy"]
  }

  apply "pod" {
    manifests = [file("second.yaml")]
  }

  # restartPolicy is Never here, so one failure fails the pod.
  expect "the init container's failure fails the pod" {
    condition = pod.second.phase == "Failed" && local.fetch.exit_code == 1
    within    = "90s"
  }

  expect "kubectl shows Init:Error" {
    condition = pod.second.status == "Init:Error"
  }

  expect "the sidecar never started" {
    condition = length(local.proxy.runs) == 0 && local.proxy.started_at == null
  }
}

scenario "first" {
  description = "The proxy is the first of the init containers: all others have the network."
  clusters    = values(cluster)

  locals {
    proxy = pod.first.container["proxy"]
    fetch = pod.first.container["fetch"]
    agent = pod.first.container["agent"]
    app   = pod.first.container["app"]
  }

  # Lenient, so that 1.27 drops restartPolicy as 1.28 without the gate does. What
  # remains is an init container with a probe, which is not allowed.
  apply "pod" {
    manifests        = [file("first.yaml")]
    field_validation = "warn"
    expect_error     = !target.native_sidecars
  }

  expect "without native sidecars the proxy may have no startupProbe" {
    when      = !target.native_sidecars
    condition = can(regex("startupProbe: Forbidden: may not be set for init containers", step.pod.error))
    message   = "The API server said: ${step.pod.error}"
  }

  expect "the pod succeeds" {
    when      = target.native_sidecars
    condition = pod.first.phase == "Succeeded"
    within    = "120s"
  }

  expect "the init container reaches the proxy at its first try" {
    when      = target.native_sidecars
    condition = local.fetch.exit_code == 0 && length(local.fetch.runs) == 1 && logged(local.fetch, "^greeting=hello$")
  }

  expect "the proxy serves before the init container starts" {
    when      = target.native_sidecars
    condition = ordered([local.proxy.runs[0].started_at, log_time(local.proxy, "^serving$"), local.fetch.runs[0].started_at, local.fetch.finished_at, local.agent.runs[0].started_at, local.app.runs[0].started_at])
  }

  expect "the proxy runs beside the init container" {
    when      = target.native_sidecars
    condition = overlaps(local.proxy, local.fetch)
  }

  expect "the other sidecar has the network from its start" {
    when      = target.native_sidecars
    condition = length(local.agent.runs) == 1 && logged(local.agent, "^greeting=hello$")
  }

  expect "the app has the configuration" {
    when      = target.native_sidecars
    condition = local.app.exit_code == 0 && logged(local.app, "^app has greeting=hello$")
  }

  expect "the proxy outlives the app" {
    when      = target.native_sidecars
    condition = ordered([local.app.finished_at, local.proxy.finished_at])
  }

  # First to start, last to stop, also among sidecars: from 1.29 on.
  expect "the proxy is the last of all to end" {
    when      = target.native_sidecars
    condition = ordered([local.agent.finished_at, local.proxy.finished_at])
    outcome   = target.ordered_termination
  }

  expect "the other sidecar has the network until its end" {
    when      = target.native_sidecars
    condition = local.agent.exit_code == 0 && logged(local.agent, "^said goodbye$")
    outcome   = target.ordered_termination
    message   = "The agent ended with ${local.agent.exit_code}."
  }
}
