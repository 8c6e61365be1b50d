lab {
  name        = "existing"
  description = "What lab does on a cluster that exists, and what happens there when its API server does not answer."
}

variable "kubeconfig" { type = string }
variable "context" {
  type    = string
  default = ""
}
variable "namespace" {
  type    = string
  default = ""
}
variable "node" {
  type        = string
  default     = "none"
  description = "The container that is the cluster's node, for who breaks its API server."
}

cluster "stage" {
  kubernetes = "~> 1.27"
  provider   = "existing"
  kubeconfig = var.kubeconfig
  context    = var.context
  namespace  = var.namespace
}

cluster "open" {
  provider    = "existing"
  kubeconfig  = var.kubeconfig
  node_access = "busybox:1.35"
}

# The same cluster by two contexts, in two namespaces: two runs side by side.
cluster "team" {
  for_each   = toset(["team-a", "team-b"])
  provider   = "existing"
  kubeconfig = var.kubeconfig
  context    = each.key
  namespace  = each.key
}

scenario "job" {
  clusters = [cluster.stage]

  apply "work" { manifests = [file("job.yaml"), file("settings.yaml")] }
  expect "it completes" {
    condition = job.work.complete
    within    = "90s"
  }
  expect "it wrote all" {
    condition = alltrue([for n in range(3) : logged(job.work.pod.container["main"], "line ${n}$")])
    within    = "5s"
  }
  expect "it wrote nothing else" {
    condition = logged(job.work.pod.container["main"], "line 3$")
    within    = "2s"
    outcome   = false
  }
  patch "settings" {
    object = "configmap/settings"
    patch  = { data = { a = "c" } }
  }
  delete "its settings" { objects = ["configmap/settings"] }
}

scenario "side_by_side" {
  clusters = values(cluster.team)

  apply "writer" { manifests = [file("writer.yaml")] }
  wait "it runs" {
    condition = pod.writer.conditions["Ready"]
    within    = "60s"
  }
  exec "in it" {
    pod     = "writer"
    command = ["echo", "inside"]
  }
  expect "it answers" { condition = trimspace(step["in it"].stdout) == "inside" }
  sleep "a while" { duration = "3s" }
}

scenario "elsewhere" {
  clusters = [cluster.stage]

  exec "nothing" {
    host    = true
    command = ["true"]
  }
  delete "a node" { objects = ["node/${var.node}"] }
}

scenario "away" {
  clusters = [cluster.stage]
  matrix {
    how = ["STOP", "KILL"]
  }

  apply "writer" { manifests = [file("writer.yaml")] }
  wait "early" {
    condition = logged(pod.writer.container["main"], "early")
    within    = "60s"
  }
  exec "break" {
    host = true
    command = ["sh", "-c", <<-EOT
      (docker exec ${var.node} pkill -${matrix.how} -x kube-apiserver
       sleep 8
       docker exec ${var.node} pkill -CONT -x kube-apiserver) >/dev/null 2>&1 &
    EOT
    ]
  }
  sleep "until it is broken" { duration = "2s" }
  exec "speak" {
    host    = true
    command = ["docker", "exec", var.node, "sh", "-c", "touch /tmp/lab-existing/speak"]
  }
  expect "false: it says nothing" {
    condition = logged(pod.writer.container["main"], "late")
    within    = "5s"
    outcome   = false
  }
  expect "true: it says something" {
    condition = logged(pod.writer.container["main"], "late")
    within    = "60s"
  }
}

scenario "nodes" {
  clusters = [cluster.open]

  apply "sleeper" { manifests = [file("sleeper.yaml")] }
  wait "it runs" {
    condition = pod.sleeper.conditions["Ready"]
    within    = "60s"
  }
  exec "on the node" {
    node    = pod.sleeper.node
    command = ["hostname"]
  }
  expect "it is the node itself" { condition = trimspace(step["on the node"].stdout) == pod.sleeper.node }
  exec "code" {
    node             = target.nodes[0]
    command          = ["sh", "-c", "cat; echo no >&2; exit 7"]
    stdin            = "read"
    ignore_exit_code = true
  }
  expect "its exit code" { condition = step.code.exit_code == 7 && step.code.stdout == "read" && trimspace(step.code.stderr) == "no" }
  exec "too long" {
    node         = target.nodes[0]
    command      = ["sh", "-c", "sleep 4711 & wait"]
    timeout      = "2s"
    expect_error = "did not end"
  }
  exec "no such program" {
    node         = target.nodes[0]
    command      = ["no-such-program"]
    expect_error = true
  }
  signal "stop" {
    pod       = "sleeper"
    container = "first"
    signal    = "TERM"
  }
  expect "it ends first" {
    condition = pod.sleeper.container["first"].finished_at < pod.sleeper.container["second"].finished_at
    within    = "30s"
  }
}
