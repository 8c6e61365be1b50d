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
