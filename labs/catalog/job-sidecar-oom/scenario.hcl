# A Job whose helper is killed because it exceeds its memory limit: as an ordinary
# container, and as a native sidecar. See README.md.

lab {
  name         = "job-sidecar-oom"
  description  = "restartPolicy Never, and the helper exceeds its memory limit: is it restarted?"
  cluster_sets = ["standard"]
}

scenario "classic" {
  description = "An ordinary helper that is killed is not restarted, and the Job fails."
  clusters    = values(cluster)

  locals {
    main   = job.myapp.pod.container["main-container-1"]
    helper = job.myapp.pod.container["sidecar-container-1"]
  }

  apply "job" {
    manifests = [file("classic.yaml")]
  }

  expect "the helper is killed because of its memory limit" {
    condition = local.helper.oom_killed && local.helper.exit_code == 137
    within    = "90s"
  }

  # While the main container still works. The reason is Error if the exit reaches
  # the runtime before the memory event.
  expect "kubectl shows OOMKilled, and 1/2" {
    condition = contains(["OOMKilled", "Error"], job.myapp.pod.status) && job.myapp.pod.ready == "1/2"
    within    = "60s"
    message   = "STATUS is ${job.myapp.pod.status}, READY ${job.myapp.pod.ready}."
  }

  expect "the helper is not restarted" {
    condition = local.helper.state == "terminated" && local.helper.restarts == 0
    hold      = "8s"
  }

  expect "the main container finishes its work and exits 0" {
    condition = local.main.exit_code == 0
    within    = "60s"
  }

  expect "it was served before, and not after" {
    condition = ordered([log_time(local.main, "^call: served$"), local.helper.finished_at, log_time(local.main, "^last call: failed$")])
    within    = "60s"
  }

  # Twelve calls of a second each.
  expect "it works on without its helper" {
    condition = local.main.finished_at - local.helper.finished_at > 5
    message   = "It worked for ${local.main.finished_at - local.helper.finished_at} s more."
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

  # The first container by name decides, or an error if there is one. Upstream
  # says that this changed in 1.35. What has run here: 1.33 and before, 1.36 and
  # later.
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
  description = "A native sidecar that is killed is restarted, also with restartPolicy Never."
  clusters    = values(cluster)

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]
  }

  apply "job" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }

  expect "1.27 rejects the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.template.spec.initContainers\\[0\\].restartPolicy\"", step.job.error))
    message   = "The API server said: ${step.job.error}"
  }

  # The helper waits for the main container, and the main container starts when
  # the helper has ended.
  expect "1.28 without the gate hangs in Init:0/1" {
    when      = target.minor >= 28 && !target.native_sidecars
    condition = job.myapp.pod.status == "Init:0/1" && local.sidecar.kind == "init" && local.sidecar.state == "running" && length(local.main.runs) == 0
    within    = "60s"
    hold      = "5s"
  }

  expect "the sidecar is killed because of its memory limit" {
    when      = target.native_sidecars
    condition = length(local.sidecar.runs) >= 1 && local.sidecar.oom_killed && local.sidecar.runs[0].exit_code == 137
    within    = "90s"
  }

  expect "it is restarted" {
    when      = target.native_sidecars
    condition = local.sidecar.restarts == 1 && local.sidecar.state == "running" && length(local.sidecar.runs) == 2
    within    = "60s"
  }

  expect "the main container finishes its work and exits 0" {
    when      = target.native_sidecars
    condition = local.main.exit_code == 0
    within    = "90s"
  }

  expect "the main container is not restarted" {
    when      = target.native_sidecars
    condition = local.main.restarts == 0 && length(local.main.runs) == 1
  }

  expect "the kill and the restart happen during its work" {
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
  description = "With restartPolicy OnFailure the same restart counts against backoffLimit."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    main    = job.myapp.pod.container["main-container-1"]
    sidecar = job.myapp.pod.container["sidecar-container-1"]

    # There are no conditions before the first one.
    exceeded = try(anytrue([for c in object("batch/v1", "Job", "myapp").status.conditions : c.type == "Failed" && c.status == "True" && c.reason == "BackoffLimitExceeded"]), false)

    # The same Job with a backoffLimit of 2.
    control         = job.control.pod.container["main-container-1"]
    control_sidecar = job.control.pod.container["sidecar-container-1"]
  }

  apply "jobs" {
    manifests = [
      templatefile("onfailure.yaml", { name = "myapp", limit = 0, calls = 60 }),
      templatefile("onfailure.yaml", { name = "control", limit = 2, calls = 12 }),
    ]
  }

  expect "the sidecar is killed because of its memory limit" {
    condition = length(local.sidecar.runs) >= 1 && local.sidecar.runs[0].exit_code == 137
    within    = "90s"
  }

  expect "the Job fails" {
    condition = job.myapp.failed && !job.myapp.complete
    within    = "90s"
  }

  # The Job controller adds up the restarts of all containers, those of sidecars
  # too (pastBackoffLimitOnFailure).
  expect "because of one restart of the sidecar" {
    condition = local.sidecar.restarts == 1 && local.main.restarts == 0 && local.exceeded
    within    = "60s"
    message   = "The sidecar was restarted ${local.sidecar.restarts} times. The conditions are ${jsonencode(object("batch/v1", "Job", "myapp").status.conditions)}."
  }

  # `sh` as the first process ignores SIGTERM.
  expect "the main container is killed during its work" {
    condition = local.main.exit_code == 137 && length(local.main.runs) == 1
    within    = "60s"
  }

  expect "it did not finish" {
    condition = logged(local.main, "^last call: ")
    outcome   = false
  }

  expect "the control: with a backoffLimit of 2 the sidecar is killed and restarted too" {
    condition = length(local.control_sidecar.runs) == 2 && local.control_sidecar.runs[0].exit_code == 137 && local.control_sidecar.restarts == 1
    within    = "90s"
  }

  expect "the control: its Job completes" {
    condition = job.control.complete && !job.control.failed && local.control.exit_code == 0 && local.control.restarts == 0
    within    = "90s"
  }
}
