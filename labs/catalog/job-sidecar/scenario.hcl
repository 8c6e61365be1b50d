# A Job with a helper container: as an ordinary container, and as a native
# sidecar. See README.md.

lab {
  name         = "job-sidecar"
  description  = "A Job whose helper never ends: when does it complete?"
  cluster_sets = ["standard"]
}

scenario "classic" {
  description = "A Job whose helper is an ordinary container never completes."
  clusters    = values(cluster)

  apply "job" {
    manifests = [file("classic.yaml")]
  }

  expect "the main container exits 0" {
    condition = job.myapp.pod.container["main-container-1"].exit_code == 0
    within    = "60s"
  }

  # It sleeps five times for 3 s. A busy machine adds some seconds.
  expect "it runs for about 15 s" {
    condition = local.main.finished_at - local.main.started_at > 14.9 && local.main.finished_at - local.main.started_at < 30
    message   = "The main container ran for ${local.main.finished_at - local.main.started_at} s."
  }

  # Longer than the grace period of 30 s: if the end of the main container
  # stopped the helper, the helper would be killed and the Job would complete
  # within this time.
  expect "the Job does not complete" {
    condition = !job.myapp.complete
    hold      = "45s"
    message   = "The Job completed although its helper never ends."
  }

  expect "the helper still runs, in its first run" {
    condition = local.helper.state == "running" && length(local.helper.runs) == 1
  }

  # NotReady is a value of the STATUS column, not a phase.
  expect "STATUS is NotReady, the phase is Running" {
    condition = job.myapp.pod.status == "NotReady" && job.myapp.pod.phase == "Running"
    message   = "STATUS is ${job.myapp.pod.status}, the phase is ${job.myapp.pod.phase}."
  }

  expect "STATUS went Pending, ContainerCreating, Running, NotReady" {
    condition = join(", ", job.myapp.pod.statuses) == "Pending, ContainerCreating, Running, NotReady"
    message   = "STATUS went ${join(", ", job.myapp.pod.statuses)}."
  }

  locals {
    main   = job.myapp.pod.container["main-container-1"]
    helper = job.myapp.pod.container["sidecar-container-1"]
  }
}

scenario "native" {
  description = "The same helper as a native sidecar."
  clusters    = values(cluster)

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]
  }

  # As kubectl apply does it by default: an unknown field is an error.
  apply "strict" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }

  expect "the error names the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.template.spec.initContainers\\[0\\].restartPolicy\"", step.strict.error))
    message   = "The API server said: ${step.strict.error}"
  }

  # As kubectl apply --validate=warn does it: an unknown field is dropped with a
  # warning. If the Job exists already, nothing changes.
  apply "lenient" {
    manifests        = [file("native.yaml")]
    field_validation = "warn"
  }

  expect "1.27 drops the field with a warning" {
    when      = target.minor < 28
    condition = contains(step.lenient.warnings, "unknown field \"spec.template.spec.initContainers[0].restartPolicy\"")
    message   = "The warnings were: ${join("; ", step.lenient.warnings)}"
  }

  # 1.28 knows the field, so that there is no unknown field to warn about.
  expect "1.28 without the gate drops it without a warning" {
    when      = target.minor >= 28 && !target.native_sidecars
    condition = length(step.strict.warnings) == 0 && length(step.lenient.warnings) == 0
    message   = "The warnings were: ${join("; ", concat(step.strict.warnings, step.lenient.warnings))}"
  }

  expect "the API server keeps the sidecar's restartPolicy" {
    condition = local.sidecar.kind == "sidecar"
    outcome   = target.native_sidecars
  }

  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "75s"
    outcome   = target.native_sidecars
  }

  # The version that changed this is upstream's statement (1.31). What has run
  # here: 1.28 and 1.29 do not have the condition, 1.33, 1.36 and 1.37 do.
  expect "the Job has the condition SuccessCriteriaMet too" {
    when      = target.native_sidecars
    condition = contains(keys(job.myapp.conditions), "SuccessCriteriaMet")
    outcome   = target.minor >= 31
    message   = "The Job's conditions are ${join(", ", keys(job.myapp.conditions))}."
  }

  expect "without native sidecars the pod hangs in Init:0/1" {
    condition = job.myapp.pod.status == "Init:0/1" && length(local.main.runs) == 0
    outcome   = !target.native_sidecars
  }

  expect "the sidecar starts first and ends last" {
    when      = target.native_sidecars
    condition = ordered([local.sidecar.started_at, local.main.started_at, local.main.finished_at, local.sidecar.finished_at])
  }

  # `sh` as the first process of a container has no handler for SIGTERM and
  # ignores it, so the sidecar uses up terminationGracePeriodSeconds: 30 s by
  # default. A busy machine adds some seconds.
  expect "the sidecar is killed after the grace period" {
    when      = target.native_sidecars
    condition = local.sidecar.exit_code == 137 && local.sidecar.finished_at - local.main.finished_at > 29 && local.sidecar.finished_at - local.main.finished_at < 50
    message   = "It ended with ${local.sidecar.exit_code}, ${local.sidecar.finished_at - local.main.finished_at} s after the main container."
  }
}
