locals {
  versions = { old = "1.27", new = "1.29" }
  waits    = ["5s", "10s"]
}

cluster "all" {
  for_each      = local.versions
  kubernetes    = each.value
  feature_gates = { SidecarContainers = each.key == "new" }
  dynamic "component" {
    for_each = ["kubelet", "kube-apiserver"]
    labels   = [component.value]
    content {
      extra_args = { v = component.key }
    }
  }
}

cluster "each" {
  for_each   = toset(["1.28"])
  kubernetes = each.key
}

scenario "rows" {
  description = "grace ${matrix.grace}"
  clusters    = matrix.grace == 5 ? values(cluster.all) : [cluster.all["new"], cluster.each["1.28"]]

  matrix {
    grace = [5, 30]
    image = ["a", "b"]
    exclude {
      grace = 30
      image = "b"
    }
    include {
      grace = 60
      image = "c"
    }
  }
  locals {
    pod = "web-${matrix.grace}"
  }
  sleep "for" { duration = "${matrix.grace}s" }
  dynamic "expect" {
    for_each = local.waits
    iterator = wait
    labels   = ["ready ${wait.key} ${matrix.image}"]
    content {
      condition = pod[local.pod].ready == "1/1" && wait.key >= 0
      within    = wait.value
    }
  }
}

scenario "nested" {
  clusters = [cluster.all["old"]]
  dynamic "finally" {
    for_each = ["x"]
    content {
      dynamic "sleep" {
        for_each = { a = 1, b = 2 }
        labels   = ["${finally.value} ${sleep.key}"]
        content { duration = "${sleep.value}s" }
      }
    }
  }
}
