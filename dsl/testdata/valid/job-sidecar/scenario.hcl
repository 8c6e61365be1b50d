# labs/job-sidecar/scenario.hcl
variable "image" {
  type        = string
  default     = "busybox:1.35"
  description = "Image of both containers."
}

cluster "v127" { kubernetes = "1.27" }
cluster "v128" { kubernetes = "1.28" }
cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}
cluster "v129" { kubernetes = "1.29" }

scenario "classic" {
  description = "A Job whose helper is an ordinary container never completes."
  clusters    = [cluster.v127, cluster.v129]

  apply "job" {
    manifests = [templatefile("classic.yaml", { image = var.image })]
  }

  expect "the main container exits 0" {
    condition = job.myapp.pod.container["main-container-1"].exit_code == 0
    within    = "60s"
  }
  expect "the Job does not complete" {
    condition = !job.myapp.complete
    hold      = "15s"
  }
  expect "kubectl shows NotReady" {
    condition = job.myapp.pod.status == "NotReady"
  }
}

scenario "native" {
  description = "The same helper as a native sidecar."
  clusters    = [cluster.v127, cluster.v128, cluster.v128_on, cluster.v129]

  apply "job" { manifests = [file("native.yaml")] }

  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "60s"
    outcome   = target.native_sidecars # true or false is right, by version and gate
  }
  expect "the sidecar outlives the main container" {
    when      = target.native_sidecars
    condition = job.myapp.pod.container["main-container-1"].finished_at < job.myapp.pod.container["sidecar-container-1"].finished_at
  }
}
