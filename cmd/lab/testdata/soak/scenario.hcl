lab {
  name        = "soak"
  description = "Speaks its run's token, and makes things that the next run must not find."
}

variable "token" { type = string }

cluster "v127" { kubernetes = "1.27" }
cluster "v128" { kubernetes = "1.28" }
cluster "v129" { kubernetes = "1.29" }

scenario "speaks" {
  clusters = [cluster.v127, cluster.v128, cluster.v129]

  apply "things" { manifests = templatefile("objects.yaml", { token = var.token }) }

  wait "it has spoken" {
    condition = pod.speaks.container["main"].exit_code == 0
    within    = "60s"
  }
  expect "nobody else has" {
    condition = alltrue([for line in pod.speaks.container["main"].log.lines : line.text == var.token]) && length(pod.speaks.container["main"].log.lines) == 3
    within    = "10s"
  }
  expect "it has spoken after this run began" {
    condition = pod.speaks.container["main"].started_at > 0
  }
}
