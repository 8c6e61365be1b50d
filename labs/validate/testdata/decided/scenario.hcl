variable "on" { default = false }

cluster "old" { kubernetes = "1.27" }
cluster "off" { kubernetes = "1.28" }
cluster "exact" { kubernetes = "1.28.15" }
cluster "new" { kubernetes = "1.29" }

scenario "constant" {
  clusters = [cluster.new]
  matrix { size = [1, 2] }
  locals {
    big = matrix.size > 1
    ran = pod.web.phase == "Running"
    made = object("v1", "ConfigMap", "made") != null
    which = "ran"
  }
  apply "pod" { manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [{ name = "a", image = "b" }] } }) }
  expect "constant" {
    condition = local.big || target.minor > 28 # WARNING: The condition looks at nothing that is observed
  }
  expect "observed" { condition = local.ran }
  expect "an object" { condition = local.made }
  expect "computed" { condition = local[local.which] }
  expect "a step" { condition = step.pod.finished_at < 10 }
  wait "for nothing" { condition = var.on } # WARNING: The condition looks at nothing that is observed
}

scenario "when" {
  clusters = [cluster.old, cluster.off]
  apply "pod" { manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [{ name = "a", image = "b" }] } }) }
  expect "never" {
    when      = target.native_sidecars # WARNING: This is false on every cluster that the scenario runs on
    condition = pod.web.ready == "1/1"
  }
  expect "never by variable" {
    when      = var.on # WARNING: This is false on every cluster
    condition = pod.web.ready == "1/1"
  }
  expect "a patch version that is not known yet" {
    when      = semver(target.kubernetes, ">= 1.28.3")
    condition = pod.web.ready == "1/1"
  }
  expect "sometimes" {
    when      = target.minor == 28
    condition = pod.web.ready == "1/1"
  }
  expect "observed" {
    when      = pod.web.phase == "Failed"
    condition = pod.web.ready == "1/1"
  }
}

scenario "exact" {
  clusters = [cluster.exact]
  apply "pod" { manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [{ name = "a", image = "b" }] } }) }
  expect "never" {
    when      = semver(target.kubernetes, ">= 1.29") # WARNING: This is false on every cluster
    condition = pod.web.ready == "1/1"
  }
}

scenario "rows" {
  clusters = [cluster.old, cluster.new]
  matrix {
    size = [1, 2]
  }
  apply "pod" {
    manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [for i in range(matrix.size) : { name = "c${i}", image = "b" }] } })
  }
  expect "in one row" {
    when      = matrix.size > 1
    condition = pod.web.container["c1"].ready
  }
  expect "in one row, on one cluster" {
    when      = matrix.size > 1 && target.native_sidecars
    condition = pod.web.ready == "2/2"
  }
  expect "in no row" {
    when      = matrix.size > 2 # WARNING: This is false on every cluster
    condition = pod.web.ready == "3/3"
  }
  dynamic "expect" {
    for_each = [1, 2]
    labels   = ["container ${expect.value}"]
    content {
      when      = expect.value <= matrix.size
      condition = pod.web.container["c${expect.value - 1}"].ready
    }
  }
  dynamic "expect" {
    for_each = [3, 4]
    labels   = ["no container ${expect.value}"]
    content {
      when      = expect.value <= matrix.size # WARNING: This is false on every cluster
      condition = pod.web.container["c${expect.value - 1}"].ready
    }
  }
}
