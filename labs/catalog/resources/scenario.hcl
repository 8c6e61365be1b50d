# What a sidecar's requests add to those of its pod, by version. See README.md.

lab {
  name         = "resources"
  description  = "Sidecars are added to a pod's request, init containers are not."
  cluster_sets = ["standard"]
}

scenario "quota" {
  description = "The request that the API server calculates for a pod."
  clusters    = values(cluster)

  locals {
    of = { resource = "cpu", unit = 100, suffix = "m" }
    # "exceeded quota: budget, requested: requests.cpu=400m, used: ..."
    requested = "requested: requests\\.cpu=([0-9]+m)"
  }

  apply "quota" {
    manifests = [file("quota.yaml")]
  }

  wait "the quota is in force" {
    condition = object("v1", "ResourceQuota", "budget").status.hard["requests.cpu"] == "1m"
    within    = "60s"
  }

  # Admission uses a cache of its own, which cannot be observed.
  sleep "until admission knows too" {
    duration = "2s"
  }

  # All of them leniently: then 1.27 drops restartPolicy as 1.28 does.
  apply "classic" {
    manifests        = [templatefile("classic.yaml", local.of)]
    field_validation = "warn"
    expect_error     = "exceeded quota"
  }
  apply "sidecars" {
    manifests        = [templatefile("sidecars.yaml", local.of)]
    field_validation = "warn"
    expect_error     = "exceeded quota"
  }
  apply "inits" {
    manifests        = [templatefile("inits.yaml", local.of)]
    field_validation = "warn"
    expect_error     = "exceeded quota"
  }
  apply "init-first" {
    manifests        = [templatefile("init-first.yaml", local.of)]
    field_validation = "warn"
    expect_error     = "exceeded quota"
  }
  apply "init-last" {
    manifests        = [templatefile("init-last.yaml", local.of)]
    field_validation = "warn"
    expect_error     = "exceeded quota"
  }

  expect "ordinary containers are a sum: 100 + 50 + 50" {
    condition = regex(local.requested, step.classic.error)[0] == "200m"
    message   = "The API server said: ${step.classic.error}"
  }

  # If they are init containers, the request of the main container is larger.
  expect "sidecars are added to it: 100 + 50 + 50" {
    condition = regex(local.requested, step.sidecars.error)[0] == (target.native_sidecars ? "200m" : "100m")
    message   = "The API server said: ${step.sidecars.error}"
  }

  expect "of init containers the largest counts: 300 of 300, 200" {
    condition = regex(local.requested, step.inits.error)[0] == "300m"
    message   = "The API server said: ${step.inits.error}"
  }

  expect "an init container before the sidecars counts alone: 300" {
    condition = regex(local.requested, step.init-first.error)[0] == "300m"
    message   = "The API server said: ${step.init-first.error}"
  }

  expect "one after them does not: 50 + 50 + 300" {
    condition = regex(local.requested, step.init-last.error)[0] == (target.native_sidecars ? "400m" : "300m")
    message   = "The API server said: ${step.init-last.error}"
  }
}

scenario "scheduler" {
  description = "The same pods, as large as the node: which fit?"
  clusters    = values(cluster)

  locals {
    # Memory, because the system's own pods request little of it. A request alone
    # uses none.
    allocatable = node[target.nodes[0]].status.allocatable.memory
    kibibytes   = tonumber(regex("^[0-9]+", local.allocatable)) * { Ki = 1, Mi = 1024, Gi = 1048576 }[regex("[KMG]i$", local.allocatable)]

    # Three of these fit beside the system's pods; four do not.
    quarter = { resource = "memory", unit = floor(0.26 * local.kibibytes), suffix = "Ki" }
    # One of these fits, two do not.
    half = { resource = "memory", unit = floor(0.55 * local.kibibytes), suffix = "Ki" }

    # From 1.34 on a pod may have a request of its own (KEP-2837). The field is
    # known from 1.32 on. Both are upstream's statements. What has run here: 1.29
    # does not know the field, 1.33 drops it, 1.36 and 1.37 use it.
    pod_level = target.minor >= 34
  }

  wait "the node says how much it has" {
    condition = local.kibibytes > 0
    within    = "60s"
  }

  apply "init-first" {
    manifests        = [templatefile("init-first.yaml", local.quarter)]
    field_validation = "warn"
  }
  expect "the large init container first: it fits" {
    condition = pod.init-first.conditions["PodScheduled"]
    within    = "60s"
  }
  delete "init-first, done" {
    objects = "pod/init-first"
  }

  apply "inits" {
    manifests = [templatefile("inits.yaml", local.quarter)]
  }
  expect "two large init containers: they fit" {
    condition = pod.inits.conditions["PodScheduled"]
    within    = "60s"
  }
  delete "inits, done" {
    objects = "pod/inits"
  }

  apply "init-last" {
    manifests        = [templatefile("init-last.yaml", local.quarter)]
    field_validation = "warn"
  }
  expect "the large one after the sidecars: too much" {
    when      = target.native_sidecars
    condition = anytrue([for e in pod.init-last.events : e.reason == "FailedScheduling" && can(regex("Insufficient memory", e.message))])
    within    = "60s"
  }
  expect "it stays Pending" {
    when      = target.native_sidecars
    condition = !pod.init-last.conditions["PodScheduled"] && pod.init-last.status == "Pending"
    within    = "30s"
    hold      = "5s"
  }
  expect "without native sidecars it fits, and hangs" {
    when      = !target.native_sidecars
    condition = pod.init-last.conditions["PodScheduled"] && pod.init-last.status == "Init:0/3"
    within    = "60s"
  }
  delete "init-last, done" {
    objects = "pod/init-last"
  }

  apply "sidecars" {
    manifests        = [templatefile("sidecars.yaml", local.half)]
    field_validation = "warn"
  }
  # The hold: a scheduler that still counts the pod before would try again.
  expect "a main container and two sidecars: too much" {
    when      = target.native_sidecars
    condition = anytrue([for e in pod.sidecars.events : e.reason == "FailedScheduling" && can(regex("Insufficient memory", e.message))]) && !pod.sidecars.conditions["PodScheduled"]
    within    = "60s"
    hold      = "4s"
  }
  expect "without native sidecars it is as large as the main container" {
    when      = !target.native_sidecars
    condition = pod.sidecars.conditions["PodScheduled"]
    within    = "60s"
  }
  delete "sidecars, done" {
    objects = "pod/sidecars"
  }

  apply "classic" {
    manifests = [templatefile("classic.yaml", local.half)]
  }
  expect "as ordinary containers: too much, on every version" {
    condition = anytrue([for e in pod.classic.events : e.reason == "FailedScheduling" && can(regex("Insufficient memory", e.message))]) && !pod.classic.conditions["PodScheduled"]
    within    = "60s"
    hold      = "4s"
  }
  delete "classic, done" {
    objects = "pod/classic"
  }

  # The other way of the talk: helpers share the request of the whole pod.
  apply "shared" {
    manifests    = [templatefile("shared.yaml", local.quarter)]
    expect_error = target.minor < 32
  }
  expect "1.29 and before do not know a pod's own request" {
    when      = target.minor < 32
    condition = can(regex("unknown field \"spec.resources\"", step.shared.error))
    message   = "The API server said: ${step.shared.error}"
  }
  expect "on 1.33 its gate is off and it is dropped: the pod fits" {
    when      = target.minor >= 32 && !local.pod_level
    condition = pod.shared.conditions["PodScheduled"]
    within    = "60s"
  }
  expect "on 1.36 and later it counts, and not those of the containers: too much" {
    when      = local.pod_level
    condition = anytrue([for e in pod.shared.events : e.reason == "FailedScheduling" && can(regex("Insufficient memory", e.message))]) && !pod.shared.conditions["PodScheduled"]
    within    = "60s"
    hold      = "4s"
  }
}
