# A Job with a helper container: as an ordinary container, and as a native
# sidecar. README.md tells the story.

lab {
  name        = "job-sidecar"
  description = "A Job whose helper never ends: when does it complete?"
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

scenario "classic" {
  description = "A Job whose helper is an ordinary container never completes."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  apply "job" {
    manifests = [file("classic.yaml")]
  }

  expect "the main container exits 0" {
    condition = job.myapp.pod.container["main-container-1"].exit_code == 0
    within    = "60s"
  }

  # And some seconds more where the machine is busy.
  expect "it ran for about 15 s" {
    condition = local.main.finished_at - local.main.started_at > 14.9 && local.main.finished_at - local.main.started_at < 30
    message   = "The main container ran for ${local.main.finished_at - local.main.started_at} s."
  }

  expect "the Job does not complete" {
    condition = !job.myapp.complete
    hold      = "15s"
    message   = "The Job completed although its helper never ends."
  }

  expect "the helper still runs" {
    condition = job.myapp.pod.container["sidecar-container-1"].state == "running"
  }

  expect "STATUS went Pending, ContainerCreating, Running, NotReady" {
    condition = join(", ", job.myapp.pod.statuses) == "Pending, ContainerCreating, Running, NotReady"
    message   = "STATUS went ${join(", ", job.myapp.pod.statuses)}."
  }

  locals {
    main = job.myapp.pod.container["main-container-1"]
  }
}

scenario "native" {
  description = "The same helper as a native sidecar."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]
  }

  # As kubectl applies it: unknown fields are refused.
  apply "strict" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }

  expect "the refusal names the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.template.spec.initContainers\\[0\\].restartPolicy\"", step.strict.error))
    message   = "The API server said: ${step.strict.error}"
  }

  # As kubectl apply --validate=warn does: unknown fields are dropped. Where
  # the Job is there already, nothing changes.
  apply "lenient" {
    manifests        = [file("native.yaml")]
    field_validation = "warn"
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

  # The pod has succeeded by then, so both conditions that the version knows are
  # there: SuccessCriteriaMet comes first or together with Complete.
  expect "the Job says SuccessCriteriaMet too, from 1.31 on" {
    when      = target.native_sidecars
    condition = contains(keys(job.myapp.conditions), "SuccessCriteriaMet")
    outcome   = target.minor >= 31
    message   = "The Job's conditions are ${join(", ", keys(job.myapp.conditions))}."
  }

  expect "without native sidecars the pod hangs in Init:0/1" {
    condition = job.myapp.pod.status == "Init:0/1"
    outcome   = !target.native_sidecars
  }

  expect "the sidecar starts first and ends last" {
    when      = target.native_sidecars
    condition = ordered([local.sidecar.started_at, local.main.started_at, local.main.finished_at, local.sidecar.finished_at])
  }

  # `sh` as the first process has no handler for TERM and so ignores it: the
  # sidecar uses up terminationGracePeriodSeconds, 30 s by default, and then the
  # time that a busy machine takes for it.
  expect "the sidecar is killed after the grace period" {
    when      = target.native_sidecars
    condition = local.sidecar.exit_code == 137 && local.sidecar.finished_at - local.main.finished_at > 29 && local.sidecar.finished_at - local.main.finished_at < 50
    message   = "It ended with ${local.sidecar.exit_code}, ${local.sidecar.finished_at - local.main.finished_at} s after the main container."
  }
}
