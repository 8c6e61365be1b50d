cluster "made" { kubernetes = "1.29" }
cluster "stage" {
  provider = "existing"
  context  = "stage"
}
cluster "old" {
  kubernetes = "1.28"
  provider   = "existing"
}

cluster "open" {
  provider    = "existing"
  node_access = "busybox:1.35"
}

scenario "on_nodes" {
  clusters = [cluster.open]
  exec "on the node" {
    node    = target.nodes[0]
    command = ["true"]
  }
  node "away" { # ERROR: cluster open (provider "existing") cannot operate the machines of its nodes: others may need them
    node   = target.nodes[0]
    action = "cordon"
  }
}

scenario "on_both" {
  clusters = [cluster.made, cluster.stage]
  apply "web" { manifests = [file("web.yaml")] }
  exec "in the pod" {
    pod     = "web"
    command = ["true"]
  }
  exec "on the node" { # ERROR: cluster stage (provider "existing") cannot run commands on its nodes: set node_access
    node    = pod.web.node
    command = ["true"]
  }
  signal "stop" { # ERROR: A container with a shell can send it to itself
    pod       = "web"
    container = "main"
  }
  node "away" { # ERROR: does something to a node, but cluster stage
    node   = target.nodes[0]
    action = "cordon"
  }
  expect "it runs" { condition = pod.web.phase == "Running" && deployment.other.name == "other" }
}

scenario "on_its_own" {
  clusters = [cluster.made]
  apply "web" { manifests = [file("web.yaml")] }
  signal "stop" {
    pod       = "web"
    container = "main"
  }
}

scenario "native" {
  clusters = [cluster.old]
  apply "web" { manifests = [file("web.yaml")] }
  expect "skipped" {
    when      = target.native_sidecars # WARNING: false on every cluster
    condition = pod.web.phase == "Running"
  }
  patch "relabel" {
    object = "pod/web"
    patch  = { metadata = { labels = { a = "b" } } }
  }
  delete "it" { objects = ["secrets/token"] }
}
