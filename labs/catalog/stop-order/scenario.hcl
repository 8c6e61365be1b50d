# On SIGTERM the app still needs its proxy. See README.md.

lab {
  name         = "stop-order"
  description  = "A pod is deleted: is the proxy still there for the app's last request?"
  cluster_sets = ["standard"]
}

scenario "ordinary" {
  description = "Ordinary containers: SIGTERM is sent to all at once; a preStop hook of the proxy helps."
  clusters    = values(cluster)

  locals {
    classic = pod.classic.container
    prestop = pod.prestop.container

    overlong_hook = log_time(pod.overlong.container["proxy"], "^preStop")
    overlong_term = log_time(pod.overlong.container["proxy"], "^TERM")
  }

  apply "pods" {
    manifests = [file("classic.yaml"), file("prestop.yaml"), file("overlong.yaml")]
  }

  # By then the handlers for SIGTERM are installed, too.
  wait "the apps are served" {
    condition = alltrue([
      logged(local.classic["app"], "first request: served"),
      logged(local.prestop["app"], "first request: served"),
      logged(pod.overlong.container["proxy"], "the proxy serves"),
    ])
    within = "90s"
  }

  delete "them" {
    objects = ["pod/classic", "pod/prestop", "pod/overlong"]
  }

  expect "the last request is refused" {
    condition = local.classic["app"].exit_code == 1 && logged(local.classic["app"], "last request: refused")
    within    = "60s"
  }

  # The app drains for 5 s after its SIGTERM.
  expect "SIGTERM is sent to the proxy while the app drains" {
    condition = ordered([log_time(local.classic["proxy"], "^TERM"), local.classic["app"].finished_at])
    within    = "60s"
  }

  expect "the proxy ends before the app" {
    condition = ordered([local.classic["proxy"].finished_at, local.classic["app"].finished_at])
    within    = "60s"
  }

  expect "with the preStop hook the last request is served" {
    condition = local.prestop["app"].exit_code == 0 && logged(local.prestop["app"], "last request: served")
    within    = "60s"
  }

  expect "SIGTERM is sent to the proxy 10 s after the app" {
    condition = log_time(local.prestop["proxy"], "^TERM") - log_time(local.prestop["app"], "^TERM") > 7
    within    = "60s"
    message   = "It was sent ${log_time(local.prestop["proxy"], "^TERM") - log_time(local.prestop["app"], "^TERM")} s later."
  }

  # The hook does not know when the app is done.
  expect "the pod stays for as long as the hook sleeps" {
    condition = local.prestop["proxy"].finished_at - local.prestop["app"].finished_at > 3
    within    = "60s"
    message   = "The proxy ended ${local.prestop["proxy"].finished_at - local.prestop["app"].finished_at} s after the app."
  }

  # The hook sleeps for an hour, the grace period is 5 s. The time is taken from
  # the hook's first line, so that a slow deletion does not count; the start of the
  # hook can take a second of the 5.
  expect "a hook that takes longer than the grace period is cut off" {
    condition = local.overlong_term - local.overlong_hook > 2 && local.overlong_term - local.overlong_hook < 10
    within    = "60s"
    message   = "SIGTERM was sent ${local.overlong_term - local.overlong_hook} s after the hook began."
  }
}

scenario "refused" {
  description = "The manifest of the native sidecars, on clusters without them."
  clusters    = [cluster.v127, cluster.v128]

  apply "native" {
    manifests    = [file("native.yaml")]
    expect_error = true
  }

  expect "1.27 does not know the field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.native.error))
    message   = "The API server said: ${step.native.error}"
  }

  # It drops restartPolicy first. The rest is not valid for an ordinary init
  # container.
  expect "1.28 without the gate rejects hook and probe" {
    when      = target.minor == 28
    condition = can(regex("initContainers\\[0\\].lifecycle: Forbidden", step.native.error)) && can(regex("initContainers\\[0\\].startupProbe: Forbidden", step.native.error))
    message   = "The API server said: ${step.native.error}"
  }
}

scenario "native" {
  description = "Native sidecars: from 1.29 on they are stopped after the app, the last of them first."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    proxy = pod.native.container["proxy"]
    agent = pod.native.container["agent"]
    app   = pod.native.container["app"]

    app_term   = log_time(local.app, "^TERM")
    agent_term = log_time(local.agent, "^TERM")
    proxy_term = log_time(local.proxy, "^TERM")
  }

  apply "pod" {
    manifests = [file("native.yaml")]
  }

  wait "the app is served and the agent runs" {
    condition = logged(local.app, "first request: served") && logged(local.agent, "the agent runs")
    within    = "90s"
  }

  delete "it" {
    objects = ["pod/native"]
  }

  wait "all have logged their SIGTERM and ended" {
    condition = alltrue([for c in pod.native.containers : logged(c, "^TERM") && c.finished_at > 0])
    within    = "60s"
  }

  expect "the last request is served" {
    condition = local.app.exit_code == 0
    outcome   = target.ordered_termination
    message   = "The app ended with ${local.app.exit_code}."
  }

  expect "the app's log says so" {
    condition = logged(local.app, target.ordered_termination ? "last request: served" : "last request: refused")
    within    = "30s"
  }

  # The app takes 5 s after its SIGTERM, the agent 4 s, the proxy 1 s.
  expect "SIGTERM is sent to each when the one after it has ended" {
    condition = ordered([local.app_term, local.app.finished_at, local.agent_term, local.agent.finished_at, local.proxy_term, local.proxy.finished_at])
    outcome   = target.ordered_termination
    message   = "SIGTERM: app ${local.app_term} s, agent ${local.agent_term} s, proxy ${local.proxy_term} s. End: app ${local.app.finished_at} s, agent ${local.agent.finished_at} s."
  }

  expect "on 1.28 SIGTERM is sent to all while the app drains" {
    when      = !target.ordered_termination
    condition = ordered([local.agent_term, local.app.finished_at]) && ordered([local.proxy_term, local.app.finished_at])
  }

  expect "they end in reverse order: app, agent, proxy" {
    condition = ordered([local.app.finished_at, local.agent.finished_at, local.proxy.finished_at])
    outcome   = target.ordered_termination
  }

  expect "on 1.28 the proxy ends first" {
    when      = !target.ordered_termination
    condition = ordered([local.proxy.finished_at, local.agent.finished_at]) && ordered([local.proxy.finished_at, local.app.finished_at])
  }

  # In order, SIGTERM is sent to the agent 5 s and to the proxy 9 s after it is
  # sent to the app. The hook waits for neither.
  expect "the proxy's preStop hook runs at once on every version" {
    condition = abs(log_time(local.proxy, "^preStop") - local.app_term) < 2.5 && ordered([log_time(local.proxy, "^preStop"), local.app.finished_at])
    within    = "30s"
    message   = "The hook ran ${log_time(local.proxy, "^preStop") - local.app_term} s after the app's SIGTERM."
  }

  expect "none is started again while the pod stops" {
    condition = alltrue([for c in pod.native.containers : length(c.runs) == 1])
  }

  expect "the sidecars exit 0" {
    condition = local.proxy.exit_code == 0 && local.agent.exit_code == 0
  }
}

scenario "grace" {
  description = "The pod has one grace period: a slow app uses up its sidecars' share."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    proxy      = pod.grace.container["proxy"]
    app        = pod.grace.container["app"]
    proxy_term = log_time(local.proxy, "^TERM")

    # The app of this one outlives the grace period.
    late_proxy = pod.late.container["proxy"]
    late_app   = pod.late.container["app"]
    late_hook  = log_time(local.late_app, "^preStop")
    late_term  = log_time(local.late_proxy, "^TERM")
  }

  apply "pods" {
    manifests = [file("grace.yaml"), file("late.yaml")]
  }

  wait "they run" {
    condition = alltrue([
      local.app.state == "running", logged(local.proxy, "the proxy serves"),
      logged(local.late_app, "the app runs"), logged(local.late_proxy, "the proxy serves"),
    ])
    within = "90s"
  }

  delete "them" {
    objects = ["pod/grace", "pod/late"]
  }

  wait "the proxies have logged their SIGTERM and ended" {
    condition = alltrue([for c in [local.proxy, local.late_proxy] : logged(c, "^TERM") && c.finished_at > 0])
    within    = "60s"
  }

  expect "the app is killed when the grace period is over" {
    condition = local.app.exit_code == 137 && local.app.finished_at - step.them.started_at > 7
    within    = "30s"
    message   = "It ended with ${local.app.exit_code}, ${local.app.finished_at - step.them.started_at} s after the deletion."
  }

  # The app ends 8 s after the deletion. On 1.28 the proxy's SIGTERM is 8 s
  # before that.
  expect "SIGTERM is sent to the proxy when the grace period is over" {
    condition = local.app.finished_at - local.proxy_term < 3
    outcome   = target.ordered_termination
    message   = "SIGTERM was sent to the proxy ${local.app.finished_at - local.proxy_term} s before the end of the app."
  }

  # It needs 5 s. Nothing is left of the grace period, and the kubelet gives a
  # container at least 2 s.
  expect "it has no time left for its own end" {
    condition = local.proxy.exit_code == 137
    outcome   = target.ordered_termination
    message   = "The proxy ended with ${local.proxy.exit_code}."
  }

  expect "on 1.28 it ends by itself" {
    when      = !target.ordered_termination
    condition = local.proxy.exit_code == 0
  }

  # From here on the pod whose app has a preStop hook of an hour: the hook is cut
  # off after 8 s, and the app gets 2 s more. The hook logs when the deletion
  # reaches the kubelet.
  expect "the wait is for the grace period: 8 s" {
    condition = local.late_term - local.late_hook > 5
    outcome   = target.ordered_termination
    message   = "SIGTERM was sent to the proxy ${local.late_term - local.late_hook} s after the app's hook began."
  }

  # terminationOrdering.waitForTurn in the kubelet returns when the containers
  # that must end first have ended, or when the grace period is over.
  expect "and not for the end of an app that takes longer" {
    condition = ordered([local.late_term, local.late_app.finished_at])
    within    = "30s"
    message   = "SIGTERM was sent to the proxy ${local.late_app.finished_at - local.late_term} s before the end of the app."
  }
}
