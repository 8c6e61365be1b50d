cluster "old" {
  kubernetes = "1.27"
  feature_gates = {
    SidecarContainers = true # ERROR: Kubernetes 1.27 does not know the feature gate "SidecarContainers": its components would not start. It is known from 1.28 to 1.36.
    AllAlpha          = true
  }
}
cluster "off" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainer = true } # ERROR: Did you mean "SidecarContainers"?
}
cluster "locked" {
  kubernetes    = "1.33.5"
  feature_gates = { SidecarContainers = false, LegacySidecarContainers = true } # ERROR: locked to true: its components would not start with false
}
cluster "locked_on" {
  kubernetes    = "1.36"
  feature_gates = { SidecarContainers = true }
}
cluster "gone" {
  kubernetes = "1.37"
  component "kubelet" {
    feature_gates = { "SidecarContainers" = true } # ERROR: Kubernetes 1.37 does not know the feature gate "SidecarContainers"
  }
  component "kube-apiserver" {
    feature_gates = { LegacySidecarContainers = true } # ERROR: Only 1.33 knows it.
  }
}
cluster "several" {
  kubernetes    = "~> 1.28"
  feature_gates = { SidecarContainers = true }
}
cluster "future" { kubernetes = "1.99" } # WARNING: Kubernetes 1.99 is newer than the newest that this version of lab knows

scenario "all" {
  clusters = values(cluster)
  apply "pod" { manifests = file("pod.yaml") }
  expect "it runs" { condition = pod.web.phase == "Running" }
}
