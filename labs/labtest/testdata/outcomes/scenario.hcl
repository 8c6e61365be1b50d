# One expectation of every outcome, on clusters of which one cannot be made.

variable "code" {
  type    = number
  default = 0
}

cluster "v128" { kubernetes = "1.28" }
cluster "v129" {
  kubernetes    = "1.29"
  feature_gates = { SidecarContainers = true }
}

scenario "outcomes" {
  description = "A Job, and what can be said of it."
  clusters    = [cluster.v128, cluster.v129]

  apply "job" { manifests = [file("job.yaml")] }

  expect "main exits" {
    condition = job.myapp.pod.container["main"].exit_code == var.code
    within    = "5s"
  }
  expect "main fails" {
    condition = job.myapp.pod.container["main"].exit_code == var.code + 7
    within    = "300ms"
    message   = "It ended as it should."
  }
  expect "only on old ones" {
    when      = target.minor < 28
    condition = job.myapp.complete
  }
  expect "what is unknown" {
    condition = regex("x+y", job.myapp.name) == "xy"
  }
}

scenario "good" {
  clusters = [cluster.v129]

  apply "job" { manifests = [file("job.yaml")] }

  expect "main exits" {
    condition = job.myapp.pod.container["main"].exit_code == var.code
    within    = "5s"
  }
}

scenario "refused" {
  clusters = [cluster.v129]

  exec "a command that fails" {
    pod     = "nobody"
    command = ["false"]
  }
  expect "nothing" {
    condition = true
  }
}
