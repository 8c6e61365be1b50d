# A service that needs a mysql client that needs a proxy: who waits for whom?
# README.md tells the story.

lab {
  name        = "start-order"
  description = "proxy, mysql client, service: start order is not readiness."
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

  # In the list the proxy is first here, and so it starts first. It is not
  # ready for that.
  expect "the right order in the list is not enough" {
    condition = local.listed["svc"].exit_code == 1 && logged(local.listed["svc"], "the mysql client refused")
    within    = "60s"
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

  expect "at the first try of each container" {
    condition = alltrue([for c in pod.held.containers : c.restarts == 0])
    hold      = "5s"
    message   = "Restarts: ${join(", ", [for c in pod.held.containers : "${c.name} ${c.restarts}"])}."
  }

  # The proxy serves 12 s after its start, the mysql client 4 s after its own.
  expect "each container starts when the one before it serves" {
    condition = local.held["mysql-client"].started_at - local.held["proxy"].started_at > 10 && local.held["svc"].started_at - local.held["mysql-client"].started_at > 2
    message   = "The mysql client started ${local.held["mysql-client"].started_at - local.held["proxy"].started_at} s after the proxy, the service ${local.held["svc"].started_at - local.held["mysql-client"].started_at} s after that."
  }
}

scenario "native" {
  description = "Native sidecars: a startupProbe or a postStart hook is what the next one waits for."
  clusters    = values(cluster)

  locals {
    gated   = pod.gated.container
    hooked  = pod.hooked.container
    ungated = pod.ungated.container
    # The field is known and, the gate being off, dropped.
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

  # It drops restartPolicy first, and complains of what is left.
  expect "1.28 without the gate refuses the startupProbe" {
    when      = local.dropped
    condition = can(regex("spec.initContainers\\[0\\].startupProbe: Forbidden: may not be set for init containers", step.gated.error))
    message   = "The API server said: ${step.gated.error}"
  }

  expect "1.28 without the gate refuses the hook" {
    when      = local.dropped
    condition = can(regex("spec.initContainers\\[0\\].lifecycle: Forbidden: may not be set for init containers", step.hooked.error))
    message   = "The API server said: ${step.hooked.error}"
  }

  # With neither there is nothing to complain of: an ordinary init container
  # that never ends is left.
  expect "1.28 without the gate hangs where there is no probe" {
    when      = local.dropped
    condition = pod.ungated.status == "Init:0/1" && local.ungated["proxy"].state == "running"
    within    = "60s"
    hold      = "10s"
    message   = "STATUS went ${join(", ", pod.ungated.statuses)}."
  }

  expect "a sidecar without a probe gates nothing: the service is refused" {
    when      = target.native_sidecars
    condition = local.ungated["svc"].exit_code == 1 && logged(local.ungated["svc"], "the proxy refused: the service gives up")
    within    = "60s"
  }

  expect "gated by startupProbes, the service comes up" {
    when      = target.native_sidecars
    condition = logged(local.gated["svc"], "the service is up")
    within    = "90s"
  }

  expect "gated: each container starts when the one before it serves" {
    when      = target.native_sidecars
    condition = local.gated["mysql-client"].started_at - local.gated["proxy"].started_at > 10 && local.gated["svc"].started_at - local.gated["mysql-client"].started_at > 2
    message   = "The mysql client started ${local.gated["mysql-client"].started_at - local.gated["proxy"].started_at} s after the proxy, the service ${local.gated["svc"].started_at - local.gated["mysql-client"].started_at} s after that."
  }

  expect "gated: no container was restarted" {
    when      = target.native_sidecars
    condition = alltrue([for c in pod.gated.containers : c.restarts == 0])
    hold      = "5s"
    message   = "Restarts: ${join(", ", [for c in pod.gated.containers : "${c.name} ${c.restarts}"])}."
  }

  # A sidecar that runs counts as done only when its startupProbe has passed.
  expect "gated: STATUS counts the sidecars" {
    when      = target.native_sidecars
    condition = contains(pod.gated.statuses, "Init:0/2") && contains(pod.gated.statuses, "Init:1/2")
    message   = "STATUS went ${join(", ", pod.gated.statuses)}."
  }

  expect "a postStart hook gates as well" {
    when      = target.native_sidecars
    condition = local.hooked["mysql-client"].started_at - local.hooked["proxy"].started_at > 10 && local.hooked["svc"].started_at - local.hooked["mysql-client"].started_at > 2
    within    = "90s"
    message   = "The mysql client started ${local.hooked["mysql-client"].started_at - local.hooked["proxy"].started_at} s after the proxy, the service ${local.hooked["svc"].started_at - local.hooked["mysql-client"].started_at} s after that."
  }

  expect "hooked: the service comes up at the first try" {
    when      = target.native_sidecars
    condition = logged(local.hooked["svc"], "the service is up") && local.hooked["svc"].restarts == 0
    within    = "60s"
  }
}
