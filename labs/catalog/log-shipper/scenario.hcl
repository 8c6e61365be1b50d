# A sidecar that ships the lines that the app writes to a file: does it ship the
# last ones? See README.md.

lab {
  name         = "log-shipper"
  description  = "A log shipper that stops with the app loses the last lines; one that stops after it keeps them."
  cluster_sets = ["standard"]
}

scenario "classic" {
  description = "SIGTERM is sent to an ordinary shipper and to the app at the same time."
  clusters    = values(cluster)

  locals {
    app     = pod.web.container["app"]
    shipper = pod.web.container["shipper"]
  }

  apply "pod" {
    manifests = [file("classic.yaml")]
  }

  wait "the shipper ships" {
    condition = logged(local.shipper, "^shipped: request 2$")
    within    = "90s"
  }

  delete "stop" {
    objects = "pod/web"
  }

  expect "the app drains, writes its last line and exits 0" {
    condition = logged(local.app, "^app wrote its last line$") && local.app.exit_code == 0
    within    = "60s"
  }

  # When this line of its log has been read, so have those before it.
  expect "the shipper ships what is in the file, and exits 0" {
    condition = logged(local.shipper, "^shipper stops$") && local.shipper.exit_code == 0
    within    = "60s"
  }

  expect "the shipper ends before the app" {
    condition = ordered([local.shipper.finished_at, local.app.finished_at])
  }

  # The app drains for 6 s.
  expect "it ends seconds too early" {
    condition = local.app.finished_at - local.shipper.finished_at > 2
    message   = "It ended ${local.app.finished_at - local.shipper.finished_at} s before the app."
  }

  expect "the last line is lost" {
    condition = logged(local.shipper, "^shipped: drained 6$")
    outcome   = false
  }
}

scenario "prestop" {
  description = "The work-around: the shipper sleeps in preStop for longer than the app drains."
  clusters    = values(cluster)

  locals {
    app     = pod.web.container["app"]
    shipper = pod.web.container["shipper"]
  }

  apply "pod" {
    manifests = [file("prestop.yaml")]
  }

  wait "the shipper ships" {
    condition = logged(local.shipper, "^shipped: request 2$")
    within    = "90s"
  }

  delete "stop" {
    objects = "pod/web"
  }

  expect "the shipper stops by itself" {
    condition = logged(local.shipper, "^shipper stops$") && local.shipper.exit_code == 0
    within    = "60s"
  }

  expect "it outlives the app" {
    condition = ordered([local.app.finished_at, local.shipper.finished_at])
    within    = "60s"
  }

  expect "the last line is shipped" {
    condition = logged(local.shipper, "^shipped: drained 6$")
  }

  # The sleep is a guess: if it is too short, lines are lost; if it is too long,
  # every stop takes longer. The app is done 9 s before the hook.
  expect "the pod waits for the sleep, not for the app" {
    condition = local.shipper.finished_at - local.app.finished_at > 5
    message   = "The shipper ran for ${local.shipper.finished_at - local.app.finished_at} s more."
  }
}

scenario "native" {
  description = "As a native sidecar the shipper stops after the app, from 1.29 on."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    app     = pod.web.container["app"]
    shipper = pod.web.container["shipper"]
  }

  apply "pod" {
    manifests = [file("native.yaml")]
  }

  wait "the shipper ships" {
    condition = logged(local.shipper, "^shipped: request 2$")
    within    = "90s"
  }

  expect "it starts before the app, and has the app's first line" {
    condition = ordered([local.shipper.started_at, local.app.started_at]) && logged(local.shipper, "^shipped: request 1$")
  }

  delete "stop" {
    objects = "pod/web"
  }

  expect "the app drains, writes its last line and exits 0" {
    condition = logged(local.app, "^app wrote its last line$") && local.app.exit_code == 0
    within    = "60s"
  }

  expect "the shipper stops by itself" {
    condition = logged(local.shipper, "^shipper stops$") && local.shipper.exit_code == 0
    within    = "60s"
  }

  # On 1.28 native sidecars start first, but SIGTERM is sent to all at once.
  expect "it outlives the app" {
    condition = ordered([local.app.finished_at, local.shipper.finished_at])
    outcome   = target.ordered_termination
  }

  expect "the last line is shipped" {
    condition = logged(local.shipper, "^shipped: drained 6$")
    outcome   = target.ordered_termination
  }

  # The work-around of the scenario prestop takes longer than this.
  expect "the pod does not wait longer than it has to" {
    when      = target.ordered_termination
    condition = local.shipper.finished_at - local.app.finished_at < 5
    message   = "The shipper ran for ${local.shipper.finished_at - local.app.finished_at} s more."
  }
}

scenario "job" {
  description = "A Job's app ends by itself: a native shipper has its last line, on 1.28 too."
  clusters    = [for name, c in cluster : c if !contains(["v127", "v128"], name)] # those with native sidecars

  locals {
    app     = job.batch.pod.container["app"]
    shipper = job.batch.pod.container["shipper"]
  }

  apply "job" {
    manifests = [file("job.yaml")]
  }

  expect "the Job completes" {
    condition = job.batch.complete
    within    = "90s"
  }

  expect "the shipper is stopped when the app is done" {
    condition = logged(local.shipper, "^shipper stops$") && ordered([local.app.finished_at, local.shipper.finished_at])
    within    = "60s"
  }

  expect "the result is shipped" {
    condition = logged(local.shipper, "^shipped: result: 42$")
  }
}

scenario "without" {
  description = "The same manifest if native sidecars are unknown, or off."
  clusters    = [cluster.v127, cluster.v128]

  apply "pod" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }

  expect "1.27 rejects the unknown field" {
    when      = target.minor < 28
    condition = can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.pod.error))
    message   = "The API server said: ${step.pod.error}"
  }

  expect "1.28 without the gate waits for the shipper, which does not end" {
    when      = target.minor >= 28
    condition = pod.web.status == "Init:0/1" && pod.web.container["shipper"].state == "running" && length(pod.web.container["app"].runs) == 0
    within    = "60s"
    hold      = "5s"
  }
}
