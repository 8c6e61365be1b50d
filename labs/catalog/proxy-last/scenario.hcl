# A sidecar that needs the network when it stops: the proxy must end after it. See
# README.md.

lab {
  name         = "proxy-last"
  description  = "The proxy must end last even among sidecars, so it is first in the list."
  cluster_sets = ["standard"]
}

scenario "ordinary" {
  description = "Ordinary containers: the shipper's last batch is refused."
  clusters    = values(cluster)

  locals {
    proxy   = pod.classic.container["proxy"]
    shipper = pod.classic.container["shipper"]
  }

  apply "pod" {
    manifests = [file("classic.yaml")]
  }

  wait "the shipper is served, and the app works" {
    condition = logged(local.shipper, "first batch: sent") && logged(pod.classic.container["app"], "the app works")
    within    = "90s"
  }

  delete "it" {
    objects = ["pod/classic"]
  }

  expect "the last batch is refused" {
    condition = local.shipper.exit_code == 1 && logged(local.shipper, "last batch: refused")
    within    = "60s"
  }

  # The shipper takes 6 s after its SIGTERM, the proxy 3 s.
  expect "SIGTERM is sent to the proxy while the shipper flushes" {
    condition = ordered([log_time(local.proxy, "^TERM"), local.shipper.finished_at])
    within    = "60s"
  }

  expect "the proxy ends before the shipper" {
    condition = ordered([local.proxy.finished_at, local.shipper.finished_at])
    within    = "60s"
  }
}

scenario "proxy-first" {
  description = "Native sidecars, the proxy first in initContainers: from 1.29 on it ends last."
  clusters    = values(cluster)

  locals {
    proxy   = pod.proxy-first.container["proxy"]
    shipper = pod.proxy-first.container["shipper"]
    app     = pod.proxy-first.container["app"]
  }

  apply "pod" {
    manifests    = [file("proxy-first.yaml")]
    expect_error = target.minor < 28
  }

  expect "1.27 does not know the field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.pod.error))
    message   = "The API server said: ${step.pod.error}"
  }

  # The field is dropped: the proxy is an ordinary init container, and the others
  # wait until it has ended.
  expect "1.28 without the gate hangs in Init:0/2" {
    when      = target.minor == 28 && !target.native_sidecars
    condition = pod.proxy-first.status == "Init:0/2" && local.proxy.state == "running" && length(local.shipper.runs) == 0 && length(local.app.runs) == 0
    within    = "60s"
    hold      = "10s"
    message   = "STATUS went ${join(", ", pod.proxy-first.statuses)}."
  }

  expect "the pod succeeds, whether or not the last batch is sent" {
    when      = target.native_sidecars
    condition = pod.proxy-first.phase == "Succeeded"
    within    = "90s"
    message   = "Its phase is ${pod.proxy-first.phase}, its STATUS ${pod.proxy-first.status}."
  }

  expect "the containers start in the order of the list" {
    when      = target.native_sidecars
    condition = ordered([local.proxy.started_at, local.shipper.started_at, local.app.started_at])
  }

  expect "the last batch is sent" {
    when      = target.native_sidecars
    condition = local.shipper.exit_code == 0
    outcome   = target.ordered_termination
    message   = "The shipper ended with ${local.shipper.exit_code}."
  }

  expect "the shipper's log says so" {
    when      = target.native_sidecars
    condition = logged(local.shipper, target.ordered_termination ? "last batch: sent" : "last batch: refused")
    within    = "30s"
  }

  expect "the proxy ends last, even among sidecars" {
    when      = target.native_sidecars
    condition = ordered([local.app.finished_at, local.shipper.finished_at, local.proxy.finished_at])
    outcome   = target.ordered_termination
  }

  # SIGTERM is sent to both at once; the proxy takes 3 s, the shipper 6 s.
  expect "on 1.28 the proxy ends before the shipper" {
    when      = target.native_sidecars && !target.ordered_termination
    condition = ordered([local.app.finished_at, local.proxy.finished_at, local.shipper.finished_at])
  }
}

scenario "proxy-second" {
  description = "The two sidecars the other way round: the proxy starts too late and stops too early."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    proxy   = pod.proxy-second.container["proxy"]
    shipper = pod.proxy-second.container["shipper"]
    app     = pod.proxy-second.container["app"]
  }

  apply "pod" {
    manifests = [file("proxy-second.yaml")]
  }

  expect "the pod succeeds on every version" {
    condition = pod.proxy-second.phase == "Succeeded"
    within    = "90s"
    message   = "Its phase is ${pod.proxy-second.phase}, its STATUS ${pod.proxy-second.status}."
  }

  wait "both have logged their SIGTERM" {
    condition = logged(local.proxy, "^TERM") && logged(local.shipper, "^TERM")
    within    = "30s"
  }

  expect "the shipper starts before there is a proxy" {
    condition = ordered([local.shipper.started_at, local.proxy.started_at, local.app.started_at]) && logged(local.shipper, "refused: there is no proxy yet")
  }

  expect "its last batch is refused" {
    condition = local.shipper.exit_code == 1 && logged(local.shipper, "last batch: refused")
    within    = "30s"
  }

  expect "the proxy ends before the shipper" {
    condition = ordered([local.app.finished_at, local.proxy.finished_at, local.shipper.finished_at])
  }

  # The proxy takes 3 s after its SIGTERM.
  expect "SIGTERM is sent to the shipper when the proxy has ended" {
    condition = ordered([log_time(local.proxy, "^TERM"), local.proxy.finished_at, log_time(local.shipper, "^TERM")])
    outcome   = target.ordered_termination
    message   = "It was sent to the shipper ${log_time(local.shipper, "^TERM") - log_time(local.proxy, "^TERM")} s after the proxy."
  }

  expect "on 1.28 SIGTERM is sent to the shipper while the proxy stops" {
    when      = !target.ordered_termination
    condition = ordered([log_time(local.shipper, "^TERM"), local.proxy.finished_at])
  }
}
