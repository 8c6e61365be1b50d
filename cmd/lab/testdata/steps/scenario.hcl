lab {
  name        = "steps"
  description = "Every verb of the language, on a cluster with a worker."
}

cluster "v128" {
  kubernetes = "1.28"
  workers    = 1
}

scenario "verbs" {
  description = "What steps do to objects, containers and the scheduler."
  clusters    = [cluster.v128]

  locals {
    worker = target.nodes[1]
  }

  apply "web" { manifests = file("web.yaml") }
  wait "it runs" {
    condition = pod.web.conditions["Ready"]
    within    = "90s"
  }
  invariant "the side container is not restarted" {
    condition = pod.web.container["side"].restarts == 0
  }

  exec "read" {
    pod       = pod.web.name
    container = "main"
    command   = ["cat", "/tmp/state"]
  }
  exec "write" {
    pod     = "web"
    command = ["sh", "-c", "wc -c; echo noted >&2"]
    stdin   = "12345"
  }
  expect "outputs are as written" {
    condition = step.read.stdout == "up\n" && step.read.exit_code == 0 && trimspace(step.write.stdout) == "5" && step.write.stderr == "noted\n"
  }
  exec "exit code" {
    pod          = "web"
    command      = ["sh", "-c", "echo why >&2; exit 3"]
    expect_error = "^exit code 3: why$"
  }
  exec "any exit code" {
    pod              = "web"
    container        = "side"
    command          = ["false"]
    ignore_exit_code = true
  }
  expect "exit codes are kept" {
    condition = step["exit code"].exit_code == 3 && step["any exit code"].exit_code == 1
  }
  exec "no such program" {
    pod          = "web"
    command      = ["lab-has-no-such-program"]
    expect_error = "not found"
  }
  exec "no such container" {
    pod          = "web"
    container    = "mian"
    command      = ["true"]
    expect_error = "it has main, side"
  }
  exec "no such pod" {
    pod          = "wep"
    command      = ["true"]
    expect_error = "pods \"wep\" not found"
  }
  exec "too long" {
    pod          = "web"
    command      = ["sleep", "60"]
    timeout      = "2s"
    expect_error = "did not end within 2"
  }
  exec "much" {
    pod     = "web"
    command = ["sh", "-c", "yes | head -c 3000000"]
  }
  expect "much is cut" {
    condition = length(step.much.stdout) < 1100000 && length(regexall("cut: 1951424 bytes more", step.much.stdout)) == 1
  }
  exec "on the node" {
    node    = local.worker
    command = ["hostname"]
  }
  exec "no such program on the node" {
    node         = local.worker
    command      = ["lab-has-no-such-program"]
    expect_error = "could not be started"
  }
  exec "on this machine" {
    host    = true
    command = ["sh", "-c", "test -s \"$KUBECONFIG\" && cat marker"]
  }
  expect "each where it was asked for" {
    condition = step["on the node"].stdout == "${local.worker}\n" && step["on this machine"].stdout == "here\n"
  }

  patch "label" {
    object = "pod/web"
    patch  = { metadata = { labels = { seen = "yes" } } }
  }
  patch "refused" {
    object       = "po/web"
    patch        = "spec: {nonsense: 1}"
    type         = "merge"
    expect_error = "unknown field"
  }
  patch "operations" {
    object = "pods/web"
    patch  = [{ op = "replace", path = "/metadata/labels/seen", value = "twice" }]
    type   = "json"
  }
  patch "as its owner" {
    object = "Pod/web"
    patch  = { metadata = { annotations = { owner = "lab" } } }
    type   = "apply"
  }

  signal "usr1" {
    pod       = "web"
    container = "main"
    signal    = "SIGUSR1"
  }
  wait "it has logged the signal" {
    condition = logged(pod.web.container["main"], "got usr1")
    within    = "10s"
  }
  signal "stop" {
    pod       = "web"
    container = "main"
  }
  expect "it ends as it likes" {
    condition = pod.web.container["main"].exit_code == 7
    within    = "10s"
  }
  signal "again" {
    pod          = "web"
    container    = "main"
    expect_error = "does not run"
  }
  exec "in what has ended" {
    pod          = "web"
    container    = "main"
    command      = ["true"]
    expect_error = "container \"main\" of pod \"web\" does not run"
  }

  apply "held" { manifests = file("held.yaml") }
  delete "stuck" {
    objects      = "configmap/held"
    timeout      = "3s"
    expect_error = "waits for its finalizer lab.example.com/hold"
  }
  patch "let it go" {
    object = "cm/held"
    patch  = { metadata = { finalizers = null } }
    type   = "merge"
  }
  sleep "a moment" { duration = "1s" }
  delete "nothing" {
    manifests        = file("held.yaml")
    ignore_not_found = true
  }

  node "cordon" {
    node   = local.worker
    action = "cordon"
  }
  apply "budget" { manifests = file("budget.yaml") }
  node "drain against a budget" {
    node         = local.worker
    action       = "drain"
    timeout      = "20s"
    expect_error = "disruption budget"
  }
  delete "the budget" { objects = "poddisruptionbudgets.policy/web" }
  node "drain" {
    node   = local.worker
    action = "drain"
  }
  expect "the pod was evicted" {
    condition = pod.web.gone_at > 0
    within    = "30s"
  }

  finally {
    node "uncordon" {
      node   = local.worker
      action = "uncordon"
    }
    exec "schedulable" {
      host    = true
      command = ["true"]
    }
  }
}

scenario "machines" {
  description = "What steps do to machines and services."
  clusters    = [cluster.v128]

  locals {
    control = target.nodes[0]
    worker  = target.nodes[1]
  }

  node "restart the kubelet" {
    node    = local.worker
    action  = "restart"
    service = "kubelet"
  }
  node "restart containerd" {
    node    = local.worker
    action  = "restart"
    service = "containerd"
  }
  node "not paused" {
    node         = local.worker
    action       = "unpause"
    expect_error = "its machine is running"
  }
  node "pause" {
    node   = local.worker
    action = "pause"
  }
  exec "in a paused node" {
    node         = local.worker
    command      = ["true"]
    expect_error = "it is paused"
  }
  node "unpause" {
    node   = local.worker
    action = "unpause"
  }
  node "stop" {
    node   = local.worker
    action = "stop"
  }
  node "start" {
    node   = local.worker
    action = "start"
  }
  node "restart" {
    node   = local.control
    action = "restart"
  }
  apply "it answers" { manifests = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "after" } }) }
}
