# A service that needs a mysql client that needs a proxy: who waits for whom?
# See README.md.

lab {
  name         = "start-order"
  description  = "proxy, mysql client, service: start order is not readiness."
  cluster_sets = ["standard"]
}

scenario "ordinary" {
  description = "Ordinary containers: a crash loop, and the postStart hold that prevents it."
  clusters    = values(cluster)

  locals {
    unordered = pod.unordered.container
    listed    = pod.listed.container
    held      = pod.held.container
  }

  apply "pods" {
    manifests = [file("unordered.yaml"), file("listed.yaml"), file("held.yaml")]
  }

  expect "without order the service is refused and exits 1" {
    condition = local.unordered["svc"].exit_code == 1 && logged(local.unordered["svc"], "the mysql client refused: the service gives up")
    within    = "60s"
  }

  expect "so is the mysql client, by the proxy" {
    condition = local.unordered["mysql-client"].exit_code == 1 && logged(local.unordered["mysql-client"], "the proxy refused: the mysql client gives up")
    within    = "60s"
  }

  # The proxy is first in this list, so it starts first.
  expect "the right order in the list is not enough" {
    condition = local.listed["svc"].exit_code == 1 && logged(local.listed["svc"], "the mysql client refused")
    within    = "60s"
  }

  expect "all start in the order of the list, before the proxy serves" {
    condition = ordered([
      local.listed["proxy"].runs[0].started_at, local.listed["mysql-client"].runs[0].started_at,
      local.listed["svc"].runs[0].started_at, log_time(local.listed["proxy"], "^the proxy serves$"),
    ])
    within = "60s"
  }

  # The second try comes at once, the third only after a back-off of 10 s.
  expect "the service is in a crash loop" {
    condition = local.unordered["svc"].restarts >= 2
    within    = "90s"
    message   = "It was restarted ${local.unordered["svc"].restarts} times."
  }

  expect "STATUS says CrashLoopBackOff" {
    condition = contains(pod.unordered.statuses, "CrashLoopBackOff")
    within    = "30s"
    message   = "STATUS went ${join(", ", pod.unordered.statuses)}."
  }

  expect "a later try finds the proxy up" {
    condition = logged(local.unordered["svc"], "the service is up") && local.unordered["proxy"].restarts == 0
    within    = "120s"
  }

  expect "held by postStart, the service comes up" {
    condition = logged(local.held["svc"], "the service is up")
    within    = "90s"
  }

  expect "each container needs one try" {
    condition = alltrue([for c in pod.held.containers : c.restarts == 0 && length(c.runs) == 1])
    hold      = "5s"
    message   = "Restarts: ${join(", ", [for c in pod.held.containers : "${c.name} ${c.restarts}"])}."
  }

  # The proxy serves 12 s after its start, the mysql client 4 s after its own.
  # The order of the lines counts: a busy machine delays starts by seconds. It is
  # the first start: a later try would start after the line in any case.
  expect "each container starts when the one before it serves" {
    condition = ordered([
      local.held["proxy"].runs[0].started_at, log_time(local.held["proxy"], "^the proxy serves$"),
      local.held["mysql-client"].runs[0].started_at, log_time(local.held["mysql-client"], "^the mysql client serves$"),
      local.held["svc"].runs[0].started_at,
    ])
    message = "The proxy serves at ${log_time(local.held["proxy"], "^the proxy serves$")} s and the mysql client starts at ${local.held["mysql-client"].runs[0].started_at} s, serves at ${log_time(local.held["mysql-client"], "^the mysql client serves$")} s; the service starts at ${local.held["svc"].runs[0].started_at} s."
  }
}

scenario "native" {
  description = "Native sidecars: a startupProbe or a postStart hook is what the next one waits for."
  clusters    = values(cluster)

  locals {
    gated   = pod.gated.container
    hooked  = pod.hooked.container
    ungated = pod.ungated.container
    # The API server knows the field and, because the gate is off, drops it.
    dropped = target.minor == 28 && !target.native_sidecars
  }

  apply "gated" {
    manifests    = [file("gated.yaml")]
    expect_error = !target.native_sidecars
  }

  apply "hooked" {
    manifests    = [file("hooked.yaml")]
    expect_error = !target.native_sidecars
  }

  apply "ungated" {
    manifests    = [file("ungated.yaml")]
    expect_error = target.minor < 28
  }

  expect "1.27 does not know the field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.gated.error))
    message   = "The API server said: ${step.gated.error}"
  }

  # It drops restartPolicy first. The rest is not valid for an ordinary init
  # container.
  expect "1.28 without the gate rejects the startupProbe" {
    when      = local.dropped
    condition = can(regex("spec.initContainers\\[0\\].startupProbe: Forbidden: may not be set for init containers", step.gated.error))
    message   = "The API server said: ${step.gated.error}"
  }

  expect "1.28 without the gate rejects the hook" {
    when      = local.dropped
    condition = can(regex("spec.initContainers\\[0\\].lifecycle: Forbidden: may not be set for init containers", step.hooked.error))
    message   = "The API server said: ${step.hooked.error}"
  }

  # With neither the manifest is valid: an ordinary init container that never
  # ends.
  expect "1.28 without the gate hangs if there is no probe" {
    when      = local.dropped
    condition = pod.ungated.status == "Init:0/1" && local.ungated["proxy"].state == "running" && length(local.ungated["svc"].runs) == 0
    within    = "60s"
    hold      = "10s"
    message   = "STATUS went ${join(", ", pod.ungated.statuses)}."
  }

  expect "a sidecar without a probe gates nothing: the service is refused" {
    when      = target.native_sidecars
    condition = local.ungated["svc"].exit_code == 1 && logged(local.ungated["svc"], "the proxy refused: the service gives up")
    within    = "60s"
  }

  expect "and starts before the proxy serves" {
    when      = target.native_sidecars
    condition = ordered([local.ungated["proxy"].runs[0].started_at, local.ungated["svc"].runs[0].started_at, log_time(local.ungated["proxy"], "^the proxy serves$")])
    within    = "60s"
  }

  expect "gated by startupProbes, the service comes up" {
    when      = target.native_sidecars
    condition = logged(local.gated["svc"], "the service is up")
    within    = "90s"
  }

  expect "gated: each container starts when the one before it serves" {
    when = target.native_sidecars
    condition = ordered([
      local.gated["proxy"].runs[0].started_at, log_time(local.gated["proxy"], "^the proxy serves$"),
      local.gated["mysql-client"].runs[0].started_at, log_time(local.gated["mysql-client"], "^the mysql client serves$"),
      local.gated["svc"].runs[0].started_at,
    ])
    message = "The proxy serves at ${log_time(local.gated["proxy"], "^the proxy serves$")} s and the mysql client starts at ${local.gated["mysql-client"].runs[0].started_at} s, serves at ${log_time(local.gated["mysql-client"], "^the mysql client serves$")} s; the service starts at ${local.gated["svc"].runs[0].started_at} s."
  }

  expect "gated: no container was restarted" {
    when      = target.native_sidecars
    condition = alltrue([for c in pod.gated.containers : c.restarts == 0 && length(c.runs) == 1])
    hold      = "5s"
    message   = "Restarts: ${join(", ", [for c in pod.gated.containers : "${c.name} ${c.restarts}"])}."
  }

  # A sidecar that runs counts as done only when its startupProbe has passed.
  expect "gated: STATUS counts the sidecars" {
    when      = target.native_sidecars
    condition = contains(pod.gated.statuses, "Init:0/2") && contains(pod.gated.statuses, "Init:1/2")
    message   = "STATUS went ${join(", ", pod.gated.statuses)}."
  }

  expect "hooked: the service comes up, and each container needs one try" {
    when      = target.native_sidecars
    condition = logged(local.hooked["svc"], "the service is up") && alltrue([for c in pod.hooked.containers : c.restarts == 0 && length(c.runs) == 1])
    within    = "90s"
  }

  expect "hooked: each container starts when the one before it serves" {
    when = target.native_sidecars
    condition = ordered([
      local.hooked["proxy"].runs[0].started_at, log_time(local.hooked["proxy"], "^the proxy serves$"),
      local.hooked["mysql-client"].runs[0].started_at, log_time(local.hooked["mysql-client"], "^the mysql client serves$"),
      local.hooked["svc"].runs[0].started_at,
    ])
    within  = "90s"
    message = "The proxy serves at ${log_time(local.hooked["proxy"], "^the proxy serves$")} s and the mysql client starts at ${local.hooked["mysql-client"].runs[0].started_at} s, serves at ${log_time(local.hooked["mysql-client"], "^the mysql client serves$")} s; the service starts at ${local.hooked["svc"].runs[0].started_at} s."
  }
}
