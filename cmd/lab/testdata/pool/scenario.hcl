lab {
  name        = "pool"
  description = "Makes things of all sorts, all of which the next run must not find."
}

cluster "v129" { kubernetes = "1.29" }

scenario "again" {
  clusters = [cluster.v129]

  apply "things of all sorts" { manifests = file("objects.yaml") }

  expect "names are known at once" {
    condition = pod.asks.container["main"].exit_code == 0
    within    = "60s"
  }

  invariant "nothing starts again" {
    condition = pod.asks.container["main"].restarts == 0
  }
}
