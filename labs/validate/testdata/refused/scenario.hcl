variable "on" { default = false }

cluster "old" { kubernetes = "1.27" }
cluster "off" { kubernetes = "1.28" }
cluster "new" { kubernetes = "1.29" }

locals {
  empty = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "empty" }, spec = { containers = [{ name = "a" }] } })
}

scenario "everywhere" {
  clusters = [cluster.old, cluster.new]
  apply "true" {
    manifests    = local.empty
    expect_error = true
  }
  apply "a text" {
    manifests    = local.empty
    expect_error = "Required value"
  }
  apply "in each of two ways" {
    manifests    = local.empty
    expect_error = target.minor < 28 ? "one" : "other"
  }
}

scenario "nowhere" {
  clusters = [cluster.old, cluster.new]
  apply "false" {
    manifests    = local.empty # ERROR: The container "a" has no image.
    expect_error = false
  }
  apply "by variable" {
    manifests    = local.empty # ERROR: The container "a" has no image.
    expect_error = var.on ? "text" : false
  }
}

scenario "somewhere" {
  clusters = [cluster.old, cluster.new]
  apply "on one" {
    manifests    = local.empty # ERROR: The container "a" has no image.
    expect_error = target.minor < 28
  }
  apply "who knows" {
    manifests    = local.empty # WARNING: The container "a" has no image.
    expect_error = length(target.nodes) > 1
  }
}

scenario "there" {
  clusters = [cluster.old, cluster.new]
  apply "native" {
    manifests    = file("native.yaml")
    expect_error = target.minor < 28 ? "unknown field" : false
  }
}

scenario "elsewhere" {
  clusters = [cluster.old, cluster.off, cluster.new]
  apply "native" {
    manifests    = file("native.yaml")
    expect_error = var.on
  }
}
