# The feature gate SidecarContainers, component by component and version by
# version. See README.md.

lab {
  name         = "gates"
  description  = "A feature gate that one component lacks, and one that is unknown, locked or removed."
  cluster_sets = ["standard"]
}

variable "component" {
  type        = string
  default     = "kube-scheduler"
  description = "The component whose flags are tried."
  validation {
    condition     = contains(["kube-apiserver", "kube-controller-manager", "kube-scheduler"], var.component)
    error_message = "The component must be kube-apiserver, kube-controller-manager or kube-scheduler."
  }
}

# On, except for one component.
cluster "v128_not_apiserver" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
  component "kube-apiserver" {
    feature_gates = { SidecarContainers = false }
  }
}

cluster "v128_not_scheduler" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
  component "kube-scheduler" {
    feature_gates = { SidecarContainers = false }
  }
}

cluster "v128_not_kubelet" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
  component "kubelet" {
    feature_gates = { SidecarContainers = false }
  }
}

cluster "v128_not_manager" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
  component "kube-controller-manager" {
    feature_gates = { SidecarContainers = false }
  }
}

# On by default, and off if the configuration says so.
cluster "v129_not_kubelet" {
  kubernetes = "1.29"
  component "kubelet" {
    feature_gates = { SidecarContainers = false }
  }
}

scenario "component" {
  description = "Which components read the gate, and what each does without it."
  clusters    = values(cluster)

  locals {
    # What happens to a native sidecar here.
    fate = lookup({
      v128_not_scheduler = "unschedulable"
      v128_not_kubelet   = "rejected"
      v129_not_kubelet   = "rejected"
    }, target.name, target.native_sidecars ? "runs" : target.minor < 28 ? "unknown" : "dropped")
    article = pod.myapp-pod
    app     = job.app.pod
  }

  # The article's pod as it is. Nothing here depends on whether its images can be
  # pulled.
  apply "article" {
    manifests    = [file("article.yaml")]
    expect_error = local.fate == "unknown"
  }

  expect "1.27 does not know the field" {
    when      = local.fate == "unknown"
    condition = can(regex("unknown field \"spec.initContainers\\[2\\].restartPolicy\"", step.article.error))
    message   = "The API server said: ${step.article.error}"
  }

  expect "the API server keeps the field" {
    when      = local.fate != "unknown"
    condition = local.article.container["istio-proxy"].kind == "sidecar"
    outcome   = local.fate != "dropped"
  }

  expect "it drops the field without a warning" {
    when      = local.fate == "dropped"
    condition = length(step.article.warnings) == 0
    message   = "It warned: ${join("; ", step.article.warnings)}"
  }

  expect "the scheduler does not place the pod, and says why" {
    when      = local.fate == "unschedulable"
    condition = anytrue([for e in local.article.events : e.reason == "FailedScheduling" && can(regex("restartable init container and the SidecarContainers feature is disabled", e.message))])
    within    = "60s"
  }

  expect "the pod stays Pending" {
    when      = local.fate == "unschedulable"
    condition = !local.article.conditions["PodScheduled"] && local.article.status == "Pending"
    within    = "30s"
    hold      = "5s"
  }

  expect "the scheduler finds it a node" {
    when      = local.fate != "unknown" && local.fate != "unschedulable"
    condition = local.article.node != null # a kubelet that rejects the pod removes PodScheduled
    within    = "60s"
  }

  expect "the kubelet fails the pod" {
    when      = local.fate == "rejected"
    condition = local.article.phase == "Failed" && local.article.reason == "InitContainerRestartPolicyForbidden"
    within    = "60s"
  }

  expect "its event names the container" {
    when      = local.fate == "rejected"
    condition = anytrue([for e in local.article.events : can(regex("\"istio-proxy\" may not have a non-default restartPolicy", e.message))])
    within    = "30s"
  }

  # A Job whose image exists. A bare Pod would not involve the controller manager.
  # Leniently, so that 1.27 accepts it.
  apply "app" {
    manifests        = [file("app.yaml")]
    field_validation = "warn"
  }

  # On v128_not_manager too: three of the four components are enough.
  expect "a Job with a sidecar completes" {
    when      = local.fate == "runs"
    condition = job.app.complete && local.app.phase == "Succeeded"
    within    = "60s"
  }

  expect "its sidecar runs beside the main container" {
    when      = local.fate == "runs"
    condition = local.app.container["proxy"].kind == "sidecar" && overlaps(local.app.container["proxy"], local.app.container["main"])
    within    = "10s"
  }

  expect "without the field its pod hangs in the first init container" {
    when      = local.fate == "unknown" || local.fate == "dropped"
    condition = local.app.status == "Init:0/1" && local.app.container["proxy"].state == "running" && length(local.app.container["main"].runs) == 0 && !job.app.complete
    within    = "60s"
    hold      = "10s"
  }

  expect "a kubelet without the gate fails the Job" {
    when      = local.fate == "rejected"
    condition = job.app.failed && local.app.reason == "InitContainerRestartPolicyForbidden"
    within    = "60s"
  }

  expect "a scheduler without the gate leaves the Job's pod Pending" {
    when      = local.fate == "unschedulable"
    condition = local.app.phase == "Pending" && !local.app.conditions["PodScheduled"] && !job.app.complete
    within    = "60s"
    hold      = "5s"
  }
}

scenario "fields" {
  description = "What else the API server says about restartPolicy in a container."
  clusters = [
    for name, c in cluster : c
    if !contains(["v128_not_scheduler", "v128_not_kubelet", "v128_not_manager", "v129_not_kubelet"], name)
  ]

  locals {
    # From 1.35 on a container may have any restartPolicy (KEP-5307). That is
    # upstream's statement. What has run here: not on 1.33, but on 1.36 and 1.37.
    any_policy = target.minor >= 35
    # By upstream's code 1.34 has that behind a gate that is off, and drops it.
    checks_never = target.native_sidecars && target.minor < 34
    checks_main  = target.minor >= 28 && target.minor < 34
  }

  apply "probe" {
    manifests    = [file("probe.yaml")]
    expect_error = !target.native_sidecars
  }

  # restartPolicy is dropped first. Without it the probe is not valid.
  expect "the error about a probe shows that the field was dropped" {
    when      = target.minor >= 28 && !target.native_sidecars
    condition = can(regex("startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always", step.probe.error))
    message   = "The API server said: ${step.probe.error}"
  }

  expect "the sidecar has its probe" {
    when      = target.native_sidecars
    condition = pod.probe.container["proxy"].kind == "sidecar" && pod.probe.container["proxy"].started
    within    = "60s"
  }

  apply "never" {
    manifests    = [file("never.yaml")]
    expect_error = target.minor < 28 || local.checks_never
  }

  expect "an init container's Never is rejected" {
    when      = local.checks_never
    condition = can(regex("restartPolicy: Unsupported value: \"Never\"", step.never.error))
    message   = "The API server said: ${step.never.error}"
  }

  expect "if it is dropped, the init container is tried again" {
    when      = target.minor >= 28 && !target.native_sidecars
    condition = pod.never.container["init"].restarts >= 1 && pod.never.phase == "Pending"
    within    = "60s"
  }

  expect "if it is kept, the first failure fails the pod" {
    when      = local.any_policy
    condition = pod.never.phase == "Failed" && length(pod.never.container["init"].runs) == 1
    within    = "60s"
  }

  apply "main-always" {
    manifests    = [file("main-always.yaml")]
    expect_error = target.minor < 34
  }

  expect "a main container's Always is rejected" {
    when      = local.checks_main
    condition = can(regex("containers\\[0\\].restartPolicy: Forbidden: may not be set for non-init containers", step.main-always.error))
    message   = "The API server said: ${step.main-always.error}"
  }

  expect "1.27 does not know restartPolicy of any container" {
    when = target.minor < 28
    condition = alltrue([
      can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.probe.error)),
      can(regex("unknown field \"spec.initContainers\\[0\\].restartPolicy\"", step.never.error)),
      can(regex("unknown field \"spec.containers\\[0\\].restartPolicy\"", step.main-always.error)),
    ])
    message = "The API server said: ${step.probe.error} ${step.never.error} ${step.main-always.error}"
  }

  expect "if it is kept, the main container is restarted although the pod says Never" {
    when      = local.any_policy
    condition = pod.main-always.container["main"].restarts >= 1
    within    = "60s"
  }
}

scenario "flags" {
  description = "What a component says about the gate on its command line."
  clusters    = [for name, c in cluster : c if can(regex("^v[0-9]+$", name))] # one of each version

  locals {
    known  = target.minor >= 28 && target.minor <= 36
    locked = target.minor >= 33 && target.minor <= 36

    no_gate    = pod.flags.container["no-gate"]
    gate_true  = pod.flags.container["gate-true"]
    gate_false = pod.flags.container["gate-false"]
    typo       = pod.flags.container["typo"]
  }

  apply "flags" {
    manifests = [templatefile("flags.yaml", {
      component = var.component
      image     = "registry.k8s.io/${var.component}:v${target.kubernetes}"
    })]
  }

  wait "all four have ended" {
    condition = alltrue([for c in [local.no_gate, local.gate_true, local.gate_false, local.typo] : c.exit_code >= 0])
    within    = "120s"
  }

  expect "without the gate on its command line it starts" {
    condition = local.no_gate.exit_code == 0
  }

  expect "it is the cluster's version" {
    condition = logged(local.no_gate, "^Kubernetes v${target.kubernetes}")
    within    = "20s"
  }

  expect "with the gate on it starts" {
    condition = local.gate_true.exit_code == 0
    outcome   = local.known
  }

  expect "with the gate off it starts" {
    condition = local.gate_false.exit_code == 0
    outcome   = local.known && !local.locked
  }

  expect "a version that does not know the gate says so" {
    when      = !local.known
    condition = logged(local.gate_true, "unrecognized feature gate: SidecarContainers") && logged(local.gate_false, "unrecognized feature gate: SidecarContainers")
    within    = "20s"
  }

  expect "a version that locked it says so" {
    when      = local.locked
    condition = logged(local.gate_false, "cannot set feature gate SidecarContainers to false, feature is locked to true")
    within    = "20s"
  }

  # 1.33 and 1.36 have different texts.
  expect "a version that locked it warns that the gate will be removed" {
    when      = local.locked
    condition = logged(local.gate_true, "etting GA feature gate.*SidecarContainers")
    within    = "20s"
  }

  expect "a misspelt gate is fatal on every version" {
    condition = local.typo.exit_code != 0 && logged(local.typo, "unrecognized feature gate: SidecarContainer\\b")
    within    = "20s"
  }
}
