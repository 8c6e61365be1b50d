cluster "v127" { kubernetes = "1.27" }
cluster "v129" { kubernetes = "1.29.3" }

scenario "charts" {
  clusters = [cluster.v127, cluster.v129]

  locals {
    app = helm("app", { name = "shop" })
  }
  apply "app" {
    manifests = local.app # WARNING: Rendered with a warning; chart app: hooks are left out, as hooks is not true: Job migrate (pre-install).
  }
  apply "again" {
    manifests = concat(local.app, kustomize("overlay"))  # WARNING: chart app: hooks are left out
  }
  expect "each kind of proxy" {
    condition = pod.shop.container["proxy"].kind == (target.native_sidecars ? "sidecar" : "main") && pod["test-web"].container["main"].ready
  }
  expect "another name" {
    condition = pod.web.ready == "1/1" # ERROR: No step of the scenario applies a pod "web". There is shop, test-web.
  }
}

scenario "elsewhere" {
  clusters = [cluster.v129]

  apply "app" {
    manifests = helm("app", { hooks = true })
    namespace = "store"
  }
  delete "all" {
    manifests = helm("app", { name = "app" })
    namespace = "store"
  }
}

scenario "broken" {
  clusters = [cluster.v127, cluster.v129]

  apply "app" {
    manifests = helm("app", { name = "shop" }) # WARNING: hooks are left out
  }
  apply "broken" {
    manifests = helm("broken") # ERROR: chart broken is for Kubernetes >=1.29.0-0, and the cluster has 1.27.0. This is so on cluster.v127. # ERROR: Line 6 of broken/templates/pod.yaml, as it is rendered: The container "main" has no image
  }
  apply "observed" {
    manifests = helm("app", { values = { proxy = pod.shop.node } })
  }
  expect "what may be there" {
    condition = pod.web.ready == "1/1"
  }
}
