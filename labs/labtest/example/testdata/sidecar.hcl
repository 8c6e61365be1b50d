# A Job with a native sidecar completes although the sidecar never ends. It runs
# on a cluster that the test has: `lab run --var kubeconfig=… sidecar.hcl` would do
# the same.

variable "kubeconfig" {
  type = string
}

cluster "borrowed" {
  provider   = "existing"
  kubernetes = "~> 1.29"
  kubeconfig = var.kubeconfig
}

scenario "native" {
  description = "A native sidecar is ended when the Job's main container has."
  clusters    = [cluster.borrowed]

  apply "job" {
    manifests = [file("sidecar.yaml")]
  }

  expect "the sidecar starts first" {
    condition = job.greeter.pod.container["main"].started_at > job.greeter.pod.container["helper"].started_at
    within    = "60s"
  }
  expect "the main container says hello" {
    condition = logged(job.greeter.pod.container["main"], "^hello$")
    within    = "30s"
  }
  expect "the Job completes" {
    condition = job.greeter.complete
    within    = "30s"
  }
  expect "old kubelets leave it in Init:0/1" {
    when      = target.minor < 29
    condition = job.greeter.pod.status == "Init:0/1"
  }
}
