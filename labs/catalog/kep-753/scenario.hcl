# lifecycle.type: Sidecar, the form of KEP-753 that was abandoned in 2020, and
# what replaced it. See README.md.

lab {
  name         = "kep-753"
  description  = "The abandoned lifecycle.type: Sidecar: how does each version react to it?"
  cluster_sets = ["standard"]
}

scenario "proposed" {
  description = "No version knows lifecycle.type: Sidecar, and its containers are ordinary ones."
  clusters    = values(cluster)

  locals {
    job_main    = job.proposed.pod.container["main"]
    job_sidecar = job.proposed.pod.container["sidecar-container"]
    main        = pod.proposed.container["main"]
    sidecar     = pod.proposed.container["sidecar-container"]
  }

  # As kubectl apply does it by default: an unknown field is an error.
  apply "strict job" {
    manifests    = [file("proposed-job.yaml")]
    expect_error = true
  }

  expect "the Job is rejected: the error names the field" {
    condition = can(regex("strict decoding error: unknown field \"spec.template.spec.containers\\[1\\].lifecycle.type\"", step["strict job"].error))
    message   = "The API server said: ${step["strict job"].error}"
  }

  apply "strict pod" {
    manifests    = [file("proposed-pod.yaml")]
    expect_error = true
  }

  expect "the pod is rejected: the error names the field" {
    condition = can(regex("strict decoding error: unknown field \"spec.containers\\[1\\].lifecycle.type\"", step["strict pod"].error))
    message   = "The API server said: ${step["strict pod"].error}"
  }

  apply "strict more" {
    manifests    = [file("proposed-more.yaml")]
    expect_error = true
  }

  expect "PreSidecar and PostSidecar are rejected in the same way" {
    condition = can(regex("unknown field \"spec.containers\\[0\\].lifecycle.type\"", step["strict more"].error)) && can(regex("unknown field \"spec.containers\\[2\\].lifecycle.type\"", step["strict more"].error))
    message   = "The API server said: ${step["strict more"].error}"
  }

  # As kubectl apply --validate=warn does it: unknown fields are dropped.
  apply "lenient" {
    manifests        = [file("proposed-job.yaml"), file("proposed-pod.yaml")]
    field_validation = "warn"
  }

  expect "the API server warns about both" {
    condition = contains(step.lenient.warnings, "unknown field \"spec.template.spec.containers[1].lifecycle.type\"") && contains(step.lenient.warnings, "unknown field \"spec.containers[1].lifecycle.type\"")
    message   = "The warnings were: ${join("; ", step.lenient.warnings)}."
  }

  expect "the Job is stored without the type" {
    condition = object("batch/v1", "Job", "proposed").spec.template.spec.containers[1].name == "sidecar-container" && try(object("batch/v1", "Job", "proposed").spec.template.spec.containers[1].lifecycle.type, null) == null
    within    = "60s"
  }

  expect "the containers are ordinary ones" {
    condition = local.main.kind == "main" && local.sidecar.kind == "main"
    within    = "60s"
  }

  # The KEP: "start up before standard containers". The order of the spec decides.
  expect "the sidecar does not start first" {
    condition = ordered([local.main.started_at, local.sidecar.started_at])
    within    = "90s"
  }

  expect "the Job's main container exits 0" {
    condition = local.job_main.exit_code == 0
    within    = "90s"
  }

  # The purpose of the KEP: a sidecar would not have kept the Job from completing.
  expect "kubectl shows NotReady" {
    condition = job.proposed.pod.status == "NotReady"
    within    = "60s"
  }

  # Longer than the grace period of 15 s, in which a sidecar that the kubelet
  # stops would have ended.
  expect "the Job does not complete" {
    condition = !job.proposed.complete && local.job_sidecar.state == "running"
    hold      = "20s"
  }

  wait "the pod is ready" {
    condition = pod.proposed.conditions["Ready"] && logged(local.main, "^started$") && logged(local.sidecar, "^started$")
    within    = "60s"
  }

  delete "pod" {
    objects = "pod/proposed"
  }

  # The KEP: "and be terminated after". SIGTERM is sent to both at once, and main
  # takes 4 s.
  expect "the sidecar does not end last" {
    condition = local.main.exit_code == 0 && ordered([local.sidecar.finished_at, local.main.finished_at])
    within    = "30s"
  }
}

scenario "native" {
  description = "What replaced it: init containers with restartPolicy Always."
  clusters    = values(cluster)

  locals {
    job_main    = job.native.pod.container["main"]
    job_sidecar = job.native.pod.container["sidecar-container"]
    main        = pod.native.container["main"]
    sidecar     = pod.native.container["sidecar-container"]
  }

  apply "both" {
    manifests        = [file("native-job.yaml"), file("native-pod.yaml")]
    field_validation = "warn"
  }

  # 1.28 without the gate knows the field and drops it without a warning.
  expect "the API server warns about what it drops" {
    when      = !target.native_sidecars
    condition = contains(step.both.warnings, "unknown field \"spec.template.spec.initContainers[0].restartPolicy\"") && contains(step.both.warnings, "unknown field \"spec.initContainers[0].restartPolicy\"")
    outcome   = target.minor < 28
    message   = "The warnings were: ${join("; ", step.both.warnings)}."
  }

  wait "the sidecars run" {
    condition = logged(local.job_sidecar, "^started$") && logged(local.sidecar, "^started$")
    within    = "90s"
  }

  expect "without native sidecars both hang in Init:0/1" {
    when      = !target.native_sidecars
    condition = job.native.pod.status == "Init:0/1" && pod.native.status == "Init:0/1" && length(local.job_main.runs) == 0 && length(local.main.runs) == 0
    within    = "30s"
    hold      = "8s"
  }

  expect "the sidecar starts first" {
    when      = target.native_sidecars
    condition = ordered([local.sidecar.started_at, local.main.started_at])
    within    = "90s"
  }

  expect "the Job completes" {
    when      = target.native_sidecars
    condition = job.native.complete && local.job_main.exit_code == 0
    within    = "90s"
  }

  expect "the Job's sidecar outlives the main container" {
    when      = target.native_sidecars
    condition = ordered([local.job_main.finished_at, local.job_sidecar.finished_at])
  }

  wait "the pod is ready, or hangs" {
    condition = !target.native_sidecars || (pod.native.conditions["Ready"] && logged(local.main, "^started$"))
    within    = "60s"
  }

  delete "pod" {
    objects = "pod/native"
  }

  # On 1.28 SIGTERM is sent to sidecars and ordinary containers at the same time.
  expect "on deletion the sidecar ends last" {
    when      = target.native_sidecars
    condition = ordered([local.main.finished_at, local.sidecar.finished_at])
    outcome   = target.ordered_termination
  }
}
