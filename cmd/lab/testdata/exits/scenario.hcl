lab {
  name        = "exits"
  description = "Eighty containers that end one after the other, and what their node says of it."
}

cluster "v128" { kubernetes = "1.28" }

locals {
  containers = [for i in range(20) : format("c%02d", i)]
}

scenario "exits" {
  clusters = [cluster.v128]
  matrix {
    pod = [1, 2, 3, 4]
  }

  apply "pod" { manifests = templatefile("pod.yaml", { containers = local.containers }) }
  dynamic "expect" {
    for_each = local.containers
    iterator = each
    labels   = ["${each.value} exits"]
    content {
      condition = pod.exits.container[each.value].exit_code == 7
      within    = "90s"
    }
  }
  expect "the API has all of it" {
    condition = pod.exits.phase == "Failed"
    within    = "30s"
  }
  exec "runtime" {
    node = target.nodes[0]
    command = ["sh", "-c", <<-EOS
      for id in $(crictl ps -a -q --label io.kubernetes.pod.uid=$0); do
        crictl inspect -o go-template --template '{{.status.metadata.name}} {{.status.startedAt}} {{.status.finishedAt}} {{.status.exitCode}}' $id
      done
    EOS
    , pod.exits.uid]
    timeout = "2m"
  }
}

scenario "crowd" {
  description = "As many pods as a node takes."
  clusters    = [cluster.v128]

  apply "job" { manifests = file("crowd.yaml") }
  expect "all of them end" {
    condition = job.crowd.complete && length(job.crowd.pods) == 100
    within    = "8m"
  }
  expect "each by itself" {
    condition = alltrue([for p in job.crowd.pods : p.container["main"].exit_code == 0 && p.container["main"].restarts == 0])
    within    = "10s"
  }
}
