# A graph of containers, expressed in the list that initContainers is. See
# README.md.

lab {
  name         = "container-dag"
  description  = "A graph of containers: which of its edges can a pod express?"
  cluster_sets = ["standard"]
}

scenario "line" {
  description = "The graph as initContainers: a line, and a fork with a join by hand."
  clusters    = values(cluster)

  locals {
    proxy = pod.line.container["proxy"]
    mysql = pod.line.container["mysql-client"]
    certs = pod.line.container["certs"]
    svc   = pod.line.container["svc"]

    join_mysql   = pod.join.container["mysql-client"]
    join_certs   = pod.join.container["certs"]
    join_config  = pod.join.container["config"]
    join_barrier = pod.join.container["barrier"]
    join_svc     = pod.join.container["svc"]
  }

  # Lenient, so that 1.27 drops restartPolicy as 1.28 without the gate does. What
  # remains is an init container with a probe, which is not allowed.
  apply "pods" {
    manifests        = [file("line.yaml"), file("join.yaml")]
    field_validation = "warn"
    expect_error     = !target.native_sidecars
  }

  expect "without native sidecars an init container may not have a startupProbe" {
    when      = !target.native_sidecars
    condition = can(regex("startupProbe: Forbidden: may not be set for init containers", step.pods.error))
    message   = "The API server said: ${step.pods.error}"
  }

  expect "the line completes" {
    when      = target.native_sidecars
    condition = pod.line.phase == "Succeeded" && local.mysql.restarts == 0
    within    = "240s"
  }

  expect "each container of the line waits for the one before it" {
    when = target.native_sidecars
    condition = ordered([
      local.proxy.runs[0].started_at, log_time(local.proxy, "^up$"),
      local.mysql.runs[0].started_at, log_time(local.mysql, "^connected$"),
      local.certs.runs[0].started_at, local.certs.finished_at, local.svc.runs[0].started_at,
    ])
  }

  # No edge of the graph leads from mysql-client to certs. mysql-client takes 8 s.
  expect "certs waits for a container that it does not need" {
    when      = target.native_sidecars
    condition = ordered([local.mysql.runs[0].started_at, log_time(local.mysql, "^connected$"), local.certs.runs[0].started_at]) && local.certs.runs[0].started_at - local.mysql.runs[0].started_at > 7
    message   = "certs started ${local.certs.runs[0].started_at - local.mysql.runs[0].started_at} s after mysql-client."
  }

  expect "the fork completes too" {
    when      = target.native_sidecars
    condition = pod.join.phase == "Succeeded" && local.join_mysql.restarts == 0
    within    = "240s"
  }

  expect "a branch that is a sidecar without startupProbe runs beside the next" {
    when      = target.native_sidecars
    condition = ordered([local.join_mysql.runs[0].started_at, local.join_certs.runs[0].started_at, log_time(local.join_mysql, "^connected$")])
  }

  expect "two branches that end by themselves run one after the other" {
    when      = target.native_sidecars
    condition = ordered([local.join_certs.runs[0].started_at, local.join_certs.finished_at, local.join_config.runs[0].started_at, local.join_config.finished_at])
  }

  expect "the barrier joins the branches" {
    when      = target.native_sidecars
    condition = ordered([log_time(local.join_mysql, "^connected$"), local.join_barrier.finished_at, local.join_svc.runs[0].started_at])
  }
}

scenario "ordinary" {
  description = "An edge between two ordinary containers: a readinessProbe makes none, a postStart hook makes too many."
  clusters    = values(cluster)

  locals {
    probe = pod.probe.container
    hold  = pod.hold.container
  }

  apply "pods" {
    manifests = [file("ordinary.yaml")]
  }

  wait "database is ready in both" {
    condition = logged(local.probe["database"], "^ready$") && logged(local.hold["database"], "^ready$")
    within    = "150s"
  }

  expect "svc does not wait until database is ready" {
    condition = ordered([local.probe["database"].started_at, local.probe["svc"].started_at, log_time(local.probe["database"], "^ready$")])
  }

  expect "so svc finds no database" {
    condition = logged(local.probe["svc"], "^database is missing$")
    within    = "30s"
  }

  expect "svc does wait for a postStart hook" {
    condition = ordered([log_time(local.hold["database"], "^ready$"), local.hold["svc"].started_at])
    within    = "60s"
  }

  expect "so svc finds its database" {
    condition = logged(local.hold["svc"], "^database is there$")
    within    = "30s"
  }

  # The hook is not an edge to svc: all containers later in the spec wait for it.
  expect "a container that does not need database waits too" {
    condition = ordered([log_time(local.hold["database"], "^ready$"), local.hold["stranger"].started_at])
    within    = "60s"
  }
}

scenario "by-hand" {
  description = "Files on a shared volume can express any graph, but Kubernetes does not know the graph."
  clusters    = values(cluster)

  locals {
    files  = pod.files.container
    broken = pod.broken.container
  }

  apply "pods" {
    manifests = [file("by-hand.yaml")]
  }

  expect "the graph completes" {
    condition = pod.files.phase == "Succeeded"
    within    = "240s"
  }

  expect "the branches run at the same time" {
    condition = overlaps(local.files["certs"], local.files["config"])
  }

  expect "svc's work begins after both" {
    condition = ordered([log_time(local.files["certs"], "^done$"), log_time(local.files["svc"], "^all there$")]) && ordered([log_time(local.files["config"], "^done$"), log_time(local.files["svc"], "^all there$")])
  }

  # Kubernetes knows no order: svc runs, and uses its resources, all the time.
  expect "svc's container starts before either has ended" {
    condition = ordered([local.files["svc"].started_at, local.files["certs"].finished_at]) && ordered([local.files["svc"].started_at, local.files["config"].finished_at])
  }

  wait "certs failed in the other pod" {
    condition = local.broken["certs"].state == "terminated" && local.broken["certs"].exit_code == 1
    within    = "60s"
  }

  # An init container that fails fails the pod. Here svc waits without end.
  expect "a branch that fails does not fail the pod" {
    condition = pod.broken.phase == "Running" && pod.broken.status == "Error" && local.broken["svc"].state == "running"
    within    = "30s"
    hold      = "5s"
    message   = "The phase is ${pod.broken.phase}, STATUS is ${pod.broken.status}."
  }
}

scenario "requires" {
  description = "The proposed fields for a graph: no version knows them."
  clusters    = values(cluster)

  locals {
    svc   = pod.requires.container["svc"]
    certs = pod.requires.container["certs"]
  }

  apply "strict" {
    manifests    = [file("requires.yaml")]
    expect_error = true
  }

  expect "the error names both fields" {
    condition = can(regex("unknown field \"spec.containers\\[0\\].requires\"", step.strict.error)) && can(regex("unknown field \"spec.containers\\[1\\].oneshot\"", step.strict.error))
    message   = "The API server said: ${step.strict.error}"
  }

  apply "lenient" {
    manifests        = [file("requires.yaml")]
    field_validation = "warn"
  }

  expect "both are dropped with a warning" {
    condition = contains(step.lenient.warnings, "unknown field \"spec.containers[0].requires\"") && contains(step.lenient.warnings, "unknown field \"spec.containers[1].oneshot\"")
    message   = "The warnings were: ${join("; ", step.lenient.warnings)}."
  }

  expect "svc starts before what it requires" {
    condition = ordered([local.svc.started_at, local.certs.started_at]) && logged(local.svc, "^certs are missing$")
    within    = "90s"
  }
}
