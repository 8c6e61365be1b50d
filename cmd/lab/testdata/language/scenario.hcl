lab {
  name        = "language"
  description = "What the language has beside steps: instances, objects of any kind, events."
}

variable "image" {
  type    = string
  default = "busybox:1.35"
}

cluster "all" {
  for_each   = toset(["1.28"])
  kubernetes = each.key
}

scenario "objects" {
  description = "Objects of any kind, for ${matrix.replicas} replicas."
  clusters    = values(cluster.all)

  matrix {
    replicas = [1, 2, 3]
    exclude { replicas = 3 }
  }
  locals {
    available = deployment.web.status.readyReplicas >= matrix.replicas && deployment.web.conditions["Available"]
  }

  apply "web" {
    manifests = [templatefile("web.yaml", { replicas = matrix.replicas, image = var.image }), file("crd.yaml")]
  }
  invariant "never more than asked for" {
    condition = deployment.web == null || coalesce(deployment.web.status.replicas, 0) <= matrix.replicas
  }
  expect "it becomes available" {
    condition = local.available
    within    = "90s"
  }
  expect "object() sees the same" {
    condition = object("apps/v1", "Deployment", "web").spec.replicas == matrix.replicas
  }
  expect "an event tells of the scaling" {
    condition = anytrue([for e in deployment.web.events : e.reason == "ScalingReplicaSet" && e.type == "Normal"])
    within    = "10s"
  }
  expect "pods have their own" {
    condition = length([for e in pod.alone.events : e if e.reason == "Started"]) == 1
    within    = "60s"
  }

  dynamic "expect" {
    for_each = { first = "one", second = "two" }
    iterator = entry
    labels   = ["the ConfigMap has ${entry.key}"]
    content {
      condition = configmap.web.data[entry.key] == entry.value
      within    = "5s"
    }
  }
  expect "the Secret is there, and not shown" {
    condition = length(secret.web.data.token) == 12
    within    = "5s"
  }
  expect "the Service has an address" {
    condition = can(regex("^[0-9.]+$", service.web.spec.clusterIP))
    within    = "5s"
  }
  expect "what belongs to no namespace" {
    condition = node[target.nodes[0]].conditions["Ready"] && object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.lab.example").conditions["Established"]
    within    = "10s"
  }
  expect "a time of the API is known to the second" {
    condition = precision(deployment.web.created_at) == 1 && precision(step.web.finished_at) < 0.001
  }

  apply "widget" { manifests = file("widget.yaml") }
  expect "a kind that was defined only now" {
    condition = object("lab.example/v1", "Widget", "w").spec.sizes[1] == 2
    within    = "15s"
  }
  expect "what it does not have is null" {
    condition = object("lab.example/v1", "Widget", "w").status.phase == null
  }

  delete "both" { objects = ["deployment/web", "widgets.lab.example/w"] }
  expect "what is gone is null" {
    condition = deployment.web == null && object("lab.example/v1", "Widget", "w") == null
    within    = "10s"
  }
}

scenario "rendered" {
  description = "What a chart and a kustomization are rendered to."
  clusters    = values(cluster.all)

  locals {
    gadgets = helm("gadgets", { name = "first", values = ["size: 2", { size = 1000000 }] })
  }

  # The chart defines a kind and has an object of it.
  apply "chart" { manifests = local.gadgets }
  expect "values of the scenario win, and are whole numbers" {
    condition = object("lab.example/v1", "Gadget", "first").spec.size == 1000000
    within    = "15s"
  }
  expect "it was rendered for the version of the cluster" {
    condition = object("lab.example/v1", "Gadget", "first").metadata.annotations.kubernetes == "v${target.kubernetes}"
    within    = "5s"
  }
  expect "and for what that serves" {
    condition = object("lab.example/v1", "Gadget", "first").metadata.annotations.served == "true,${target.minor >= 29},${target.minor < 32}"
    within    = "5s"
  }
  expect "a random value is the same wherever the scenario uses it" {
    condition = object("lab.example/v1", "Gadget", "first").metadata.annotations.random == [
      for m in local.gadgets : yamldecode(m).metadata.annotations.random if yamldecode(m).kind == "Gadget"
    ][0]
    within = "5s"
  }
  expect "a subchart has the namespace of the run" {
    condition = configmap.first-settings.data.namespace == configmap.first-settings.metadata.namespace
    within    = "5s"
  }

  # A namespace of their own.
  apply "store" { manifests = kustomize("store", { namespace = "store" }) }
  apply "elsewhere" {
    manifests = helm("gadgets", { name = "second", skip_crds = true })
    namespace = "store"
  }
  patch "what is elsewhere" {
    object       = "configmap/second-settings"
    patch        = { data = { found = "it" } }
    expect_error = "not found"
  }
  delete "what went there" {
    manifests = helm("gadgets", { name = "second", skip_crds = true })
    namespace = "store"
  }
  delete "again" {
    objects      = "configmap/second-settings"
    namespace    = "store"
    expect_error = "not found"
  }
}
