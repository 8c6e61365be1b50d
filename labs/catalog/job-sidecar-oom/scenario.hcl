# A Job whose helper is killed for want of memory: as an ordinary container, and
# as a native sidecar. See README.md.

lab {
  name        = "job-sidecar-oom"
  description = "restartPolicy Never, and the helper runs out of memory: who starts it again?"
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
  description = "An ordinary helper that is killed stays dead, and fails the Job."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    main   = job.myapp.pod.container["main-container-1"]
    helper = job.myapp.pod.container["sidecar-container-1"]
  }

  apply "job" {
    manifests = [file("classic.yaml")]
  }

  expect "the helper is killed for want of memory" {
    condition = local.helper.oom_killed && local.helper.exit_code == 137
    within    = "90s"
  }

  # While the main container still works. Where the runtime hears of the exit
  # before it hears of the memory, the reason is Error.
  expect "kubectl shows OOMKilled, and 1/2" {
    condition = contains(["OOMKilled", "Error"], job.myapp.pod.status) && job.myapp.pod.ready == "1/2"
    within    = "60s"
    message   = "STATUS is ${job.myapp.pod.status}, READY ${job.myapp.pod.ready}."
  }

  expect "the helper is not restarted" {
    condition = local.helper.state == "terminated" && local.helper.restarts == 0
    hold      = "5s"
  }

  expect "the main container comes to its end and exits 0" {
    condition = local.main.exit_code == 0
    within    = "60s"
  }

  expect "it was served before" {
    condition = log_time(local.main, "^call: served$") < local.helper.finished_at
    within    = "60s"
  }

  expect "it goes on for seconds without its helper" {
    condition = local.main.finished_at - local.helper.finished_at > 5
    message   = "It went on for ${local.main.finished_at - local.helper.finished_at} s."
  }

  expect "nobody serves it any more" {
    condition = logged(local.main, "^last call: failed$")
    within    = "60s"
  }

  expect "each container ran once" {
    condition = length(local.main.runs) == 1 && length(local.helper.runs) == 1
  }

  # The helper's exit code counts as much as the main container's.
  expect "the Job fails, although its work is done" {
    condition = job.myapp.failed && !job.myapp.complete
    within    = "60s"
  }

  expect "the pod's phase is Failed" {
    condition = job.myapp.pod.phase == "Failed"
    within    = "60s"
  }

  # Before 1.35 the first container by name tells; from then on an error does.
  expect "STATUS of the failed pod" {
    condition = contains(target.minor < 35 ? ["Completed"] : ["OOMKilled", "Error"], job.myapp.pod.status)
    message   = "STATUS is ${job.myapp.pod.status}."
  }

  expect "there was one pod" {
    condition = length(job.myapp.pods) == 1 && job.myapp.failures == 1
    within    = "60s"
  }
}

scenario "native" {
  description = "A native sidecar that is killed is restarted, under restartPolicy Never too."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]
  }

  apply "job" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }

  expect "1.27 refuses the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.template.spec.initContainers\\[0\\].restartPolicy\"", step.job.error))
    message   = "The API server said: ${step.job.error}"
  }

  # The helper waits for the main container, which waits for the helper to end.
  expect "1.28 without the gate hangs in Init:0/1" {
    when      = target.minor >= 28 && !target.native_sidecars
    condition = job.myapp.pod.status == "Init:0/1" && local.sidecar.kind == "init" && local.sidecar.state == "running" && length(local.main.runs) == 0
    within    = "60s"
    hold      = "5s"
  }

  expect "the sidecar is killed for want of memory" {
    when      = target.native_sidecars
    condition = length(local.sidecar.runs) >= 1 && local.sidecar.oom_killed && local.sidecar.runs[0].exit_code == 137
    within    = "90s"
  }

  expect "it is restarted" {
    when      = target.native_sidecars
    condition = local.sidecar.restarts == 1 && local.sidecar.state == "running" && length(local.sidecar.runs) == 2
    within    = "60s"
  }

  expect "the main container comes to its end and exits 0" {
    when      = target.native_sidecars
    condition = local.main.exit_code == 0
    within    = "90s"
  }

  expect "it was not touched" {
    when      = target.native_sidecars
    condition = local.main.restarts == 0 && length(local.main.runs) == 1
  }

  expect "the kill and the restart fell into its work" {
    when      = target.native_sidecars
    condition = length(local.sidecar.runs) == 2 && ordered([local.main.started_at, local.sidecar.runs[0].finished_at, local.sidecar.runs[1].started_at, local.main.finished_at])
    within    = "60s"
  }

  expect "it was served before" {
    when      = target.native_sidecars
    condition = length(local.sidecar.runs) == 2 && log_time(local.main, "^call: served$") < local.sidecar.runs[0].finished_at
    within    = "60s"
  }

  expect "it is served again" {
    when      = target.native_sidecars
    condition = logged(local.main, "^last call: served$")
    within    = "60s"
  }

  expect "the Job completes" {
    when      = target.native_sidecars
    condition = job.myapp.complete && !job.myapp.failed
    within    = "90s"
  }

  expect "its only pod succeeded" {
    when      = target.native_sidecars
    condition = length(job.myapp.pods) == 1 && job.myapp.failures == 0 && job.myapp.pod.phase == "Succeeded"
    within    = "60s"
  }

  expect "the sidecar ran twice, and ended last" {
    when      = target.native_sidecars
    condition = length(local.sidecar.runs) == 2 && local.main.finished_at < local.sidecar.runs[1].finished_at
    within    = "60s"
  }
}

scenario "onfailure" {
  description = "With restartPolicy OnFailure the same restart uses up backoffLimit."
  clusters    = [cluster.v128_on, cluster.v129, cluster.v133, cluster.v136, cluster.v137]

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]
  }

  apply "job" {
    manifests = [file("onfailure.yaml")]
  }

  expect "the sidecar is killed for want of memory" {
    condition = length(local.sidecar.runs) >= 1 && local.sidecar.runs[0].exit_code == 137
    within    = "90s"
  }

  # The Job controller adds up the restarts of all containers, sidecars too.
  expect "the Job fails at the sidecar's first restart" {
    condition = job.myapp.failed && !job.myapp.complete
    within    = "90s"
  }

  expect "the main container is killed in the middle of its work" {
    condition = local.main.exit_code == 137 && length(local.main.runs) == 1
    within    = "60s"
  }

  expect "it did not come to its end" {
    condition = logged(local.main, "^last call: ")
    within    = "5s"
    outcome   = false
  }
}
