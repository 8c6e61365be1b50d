# Every block and argument that there is.
lab {
  name             = "Everything"
  description      = "All that the language has."
  required_version = ">= 0.1"
}

variable "replicas" {
  type        = number
  default     = 2
  description = "How many."
  validation {
    condition     = var.replicas > 0
    error_message = "There must be at least one."
  }
}

variable "token" {
  type      = string
  default   = "hunter2"
  sensitive = true
}

variable "settings" {
  type    = object({ name = string, size = optional(number, 3) })
  default = { name = "x" }
}

variable "anything" { default = ["a", 1, true] }

locals {
  total    = local.each_one * var.replicas
  each_one = var.settings.size
  names    = [for n in range(var.replicas) : format("w-%02d", n)]
  header   = "Bearer ${var.token}"
  folder   = path.scenario
}

cluster "big" {
  kubernetes    = "~> 1.29"
  provider      = "kind"
  image         = "kindest/node:v1.29.14"
  feature_gates = { SidecarContainers = true, Other = false }
  component "kubelet" {
    feature_gates = { InPlacePodVerticalScaling = true }
    extra_args    = { v = 4, "max-pods" = "50" }
  }
  component "kube-apiserver" { extra_args = { v = "2" } }
  runtime_config     = { "api/alpha" = true }
  control_planes     = 1
  workers            = var.replicas
  images             = ["busybox:1.35"]
  containerd_patches = ["[debug]\n"]
  kubeadm_patches    = [yamlencode({ kind = "ClusterConfiguration" })]
  ready_timeout      = "5m"
}

cluster "small" { kubernetes = "1.28.15" }

cluster "there" {
  provider   = "existing"
  kubeconfig = "secrets/config.yaml"
  context    = "stage"
  namespace  = "team"
}

cluster "here" {
  kubernetes  = "~> 1.29"
  provider    = "existing"
  node_access = "busybox:1.35"
}

scenario "all" {
  description = "Uses them all."
  clusters    = values(cluster)

  locals {
    job  = "my-job"
    main = job.my-job.pod.container["main"]
    done = local.main.exit_code == 0 && local.total > 3
  }

  apply "refused" {
    manifests = yamlencode({
      apiVersion = "v1", kind = "Pod", metadata = { name = "x", annotations = { token = var.token } }
    })
    field_validation = "WARN"
    expect_error     = !target.native_sidecars
  }

  apply "the pod" { manifests = [for n in local.names : yamlencode({ metadata = { name = n } })] }

  expect "refusal" {
    when      = !target.native_sidecars
    condition = length(regexall("forbidden", step.refused.error)) > 0
    message   = "It said: ${step.refused.error}, in ${local.folder}, to ${local.header}, of ${length(var.anything)}."
  }

  expect "order" {
    condition = ordered([step["the pod"].finished_at, local.main.started_at, pod["a pod"].gone_at])
    within    = "1m30s"
    hold      = "500ms"
    outcome   = semver(target.kubernetes, ">= 1.29")
  }

  expect "functions" {
    condition = alltrue([
      local.done,
      job[local.job].complete,
      logged(local.main, "^ready$"),
      overlaps(local.main, job.my-job.pod.container["side"]),
      log_time(local.main, "bye") - local.main.started_at < seconds("90s"),
      !can(pod.web.container["nope"].nope),
      pod.web.conditions["Ready"],
      length([for p in job.my-job.pods : p if p.phase == "Succeeded"]) == 1,
      contains(keys(target.feature_gates), "SidecarContainers"),
      pod.web.start_order == ["a", "b"],
    ])
  }
}
