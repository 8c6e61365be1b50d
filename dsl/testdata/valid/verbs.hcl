cluster "c" { kubernetes = "1.29" }

scenario "verbs" {
  clusters = [cluster.c]

  locals {
    web = "pod/web"
  }

  apply "all" {
    manifests    = "apiVersion: v1\nkind: Pod\n"
    expect_error = "forbidden|denied"
    timeout      = "90s"
  }
  wait "until it runs" {
    condition = pod.web.phase == "Running"
    within    = "30s"
    hold      = "2s"
  }
  wait "with defaults" { condition = pod.web.phase == "Running" }
  invariant "no restarts" {
    condition = pod.web.container["main"].restarts == 0
    when      = target.minor >= 28
    message   = "restarted ${pod.web.container["main"].restarts} times"
  }
  exec "read" {
    pod              = pod.web.name
    container        = "main"
    command          = ["cat", "/tmp/state"]
    stdin            = "x"
    ignore_exit_code = true
    timeout          = "5s"
  }
  exec "on the node" {
    node    = target.nodes[0]
    command = concat(["crictl"], ["ps"])
  }
  exec "here" {
    host         = true
    command      = ["kubectl", "get", "pods"]
    expect_error = true
  }
  patch "image" {
    object           = local.web
    patch            = { spec = { containers = [{ name = "main", image = "busybox:1.36" }] } }
    type             = "Merge"
    subresource      = "status"
    field_validation = "warn"
  }
  patch "defaults" {
    object = "deployments.apps/web"
    patch  = "[]"
  }
  signal "usr1" {
    pod       = pod.web.name
    container = "main"
    signal    = "USR1"
  }
  signal "term" {
    pod       = "web"
    container = "main"
  }
  sleep "a little" { duration = "500ms" }
  node "kubelet" {
    action  = "restart"
    service = "kubelet"
  }
  delete "pod" {
    objects          = local.web
    grace_period     = "0s"
    propagation      = "foreground"
    wait             = false
    ignore_not_found = true
  }
  delete "manifests" { manifests = ["apiVersion: v1\nkind: Pod\n"] }
  expect "step results" {
    condition = step["read"].finished_at > step["all"].started_at
  }
  finally {
    node "uncordon" {
      action = "uncordon"
      node   = "n"
    }
    sleep "last" { duration = "1s" }
  }
}
