# On TERM the app still needs its proxy. README.md tells the story.

lab {
  name        = "stop-order"
  description = "A pod is deleted: is the proxy still there for the app's last request?"
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
  description = "Ordinary containers: TERM comes to all at once; a preStop hook of the proxy helps."
  clusters    = values(cluster)

  locals {
    classic = pod.classic.container
    prestop = pod.prestop.container

    overlong_term = log_time(pod.overlong.container["proxy"], "^TERM")
  }

  apply "pods" {
    manifests = [file("classic.yaml"), file("prestop.yaml"), file("overlong.yaml")]
  }

  # By then the handlers for TERM are installed, too.
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

  # The app drains for 5 s from its TERM on.
  expect "the proxy was told to end while the app drained" {
    condition = ordered([log_time(local.classic["proxy"], "^TERM"), local.classic["app"].finished_at])
    within    = "60s"
  }

  expect "and was gone before the app" {
    condition = ordered([local.classic["proxy"].finished_at, local.classic["app"].finished_at])
    within    = "60s"
  }

  expect "with the preStop hook the last request is served" {
    condition = local.prestop["app"].exit_code == 0 && logged(local.prestop["app"], "last request: served")
    within    = "60s"
  }

  expect "since the proxy is told 10 s later" {
    condition = log_time(local.prestop["proxy"], "^TERM") - log_time(local.prestop["app"], "^TERM") > 7
    within    = "60s"
    message   = "It was told ${log_time(local.prestop["proxy"], "^TERM") - log_time(local.prestop["app"], "^TERM")} s later."
  }

  # The hook does not know when the app is done.
  expect "the pod stays for as long as the hook sleeps" {
    condition = local.prestop["proxy"].finished_at - local.prestop["app"].finished_at > 3
    within    = "60s"
    message   = "The proxy ended ${local.prestop["proxy"].finished_at - local.prestop["app"].finished_at} s after the app."
  }

  # The hook sleeps for an hour, the grace period is 5 s.
  expect "a hook that takes longer than the grace period is cut off" {
    condition = local.overlong_term - step.them.started_at > 3 && local.overlong_term - step.them.started_at < 30
    within    = "60s"
    message   = "TERM came ${local.overlong_term - step.them.started_at} s after the deletion."
  }
}

scenario "refused" {
  description = "The manifest of the native sidecars, where there are none."
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

  # It drops restartPolicy first, and complains of what is left.
  expect "1.28 without the gate refuses hook and probe" {
    when      = target.minor == 28
    condition = can(regex("initContainers\\[0\\].lifecycle: Forbidden", step.native.error)) && can(regex("initContainers\\[0\\].startupProbe: Forbidden", step.native.error))
    message   = "The API server said: ${step.native.error}"
  }
}

scenario "native" {
  description = "Native sidecars: from 1.29 on they are told after the app, the last of them first."
  clusters    = [cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

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

  wait "all have told of their TERM and ended" {
    condition = alltrue([for c in pod.native.containers : logged(c, "^TERM") && c.finished_at > 0])
    within    = "60s"
  }

  expect "the last request is served" {
    condition = local.app.exit_code == 0
    outcome   = target.ordered_termination
    message   = "The app ended with ${local.app.exit_code}."
  }

  expect "the app says which" {
    condition = logged(local.app, target.ordered_termination ? "last request: served" : "last request: refused")
    within    = "30s"
  }

  # The app takes 5 s from its TERM on, the agent 4 s, the proxy 1 s.
  expect "each is told when the one after it has ended" {
    condition = local.agent_term - local.app_term > 3 && local.proxy_term - local.agent_term > 2
    outcome   = target.ordered_termination
    message   = "The agent was told ${local.agent_term - local.app_term} s after the app, the proxy ${local.proxy_term - local.agent_term} s after the agent."
  }

  expect "on 1.28 all are told before the app has ended" {
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

  # In order, the proxy's TERM is 9 s after the app's; its hook does not wait.
  expect "the proxy's preStop hook runs at once all the same" {
    condition = abs(log_time(local.proxy, "^preStop") - local.app_term) < 7
    within    = "30s"
    message   = "The hook ran ${log_time(local.proxy, "^preStop") - local.app_term} s after the app's TERM."
  }

  expect "none is started again on the way" {
    condition = alltrue([for c in pod.native.containers : length(c.runs) == 1])
  }

  expect "the sidecars end as they like" {
    condition = local.proxy.exit_code == 0 && local.agent.exit_code == 0
  }
}

scenario "grace" {
  description = "The grace period is one for the whole chain: a slow app uses up its sidecars' share."
  clusters    = [cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    proxy = pod.grace.container["proxy"]
    app   = pod.grace.container["app"]
  }

  apply "pod" {
    manifests = [file("grace.yaml")]
  }

  wait "it runs" {
    condition = local.app.state == "running" && logged(local.proxy, "the proxy serves")
    within    = "90s"
  }

  delete "it" {
    objects = ["pod/grace"]
  }

  wait "the proxy was told and has ended" {
    condition = logged(local.proxy, "^TERM") && local.proxy.finished_at > 0
    within    = "60s"
  }

  expect "the app is killed when the grace period is over" {
    condition = local.app.exit_code == 137 && local.app.finished_at - step.it.started_at > 5
    within    = "30s"
  }

  expect "the proxy waits for that" {
    condition = log_time(local.proxy, "^TERM") - step.it.started_at > 5
    outcome   = target.ordered_termination
    message   = "The proxy was told ${log_time(local.proxy, "^TERM") - step.it.started_at} s after the pod was deleted."
  }

  # It needs 5 s. What is left of the grace period is nothing, and the least
  # that the kubelet gives is 2 s.
  expect "and has no time left for its own end" {
    condition = local.proxy.exit_code == 137
    outcome   = target.ordered_termination
    message   = "The proxy ended with ${local.proxy.exit_code}."
  }

  expect "on 1.28 it ends in its own time" {
    when      = !target.ordered_termination
    condition = local.proxy.exit_code == 0
  }
}
