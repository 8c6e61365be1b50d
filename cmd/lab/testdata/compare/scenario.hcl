lab {
  name        = "compare"
  description = "A pod of three sidecars that take five seconds each to end: together in 1.28, one after another from 1.29 on."
}

cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}
cluster "v129" { kubernetes = "1.29" }

locals {
  sidecars = ["a", "b", "c"]
}

scenario "stopping" {
  description = "Three sidecars that take 5 s each on TERM, and a main container that ends by itself."
  clusters    = [cluster.v128_on, cluster.v129]

  locals {
    container = pod.stopping.container
    first     = min([for name in local.sidecars : local.container[name].finished_at]...)
    last      = max([for name in local.sidecars : local.container[name].finished_at]...)
  }

  apply "pod" { manifests = [templatefile("pod.yaml", { sidecars = local.sidecars })] }

  expect "the main container ends by itself" {
    condition = local.container["main"].exit_code == 0
    within    = "2m"
  }
  expect "all sidecars end" {
    condition = alltrue([for name in local.sidecars : local.container[name].exit_code == 0])
    within    = "1m"
  }
  expect "they end one after another" {
    condition = local.last - local.first > 8
    outcome   = target.ordered_termination
  }
  expect "the last started ends first" {
    when      = target.ordered_termination
    condition = ordered([for name in ["c", "b", "a"] : local.container[name].finished_at])
  }
}
