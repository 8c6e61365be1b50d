locals {
  out = local.a
  a   = local.b # ERROR: local.a uses local.b uses local.c uses local.a.
  b   = [local.c]
  c   = { d = local.a }
}
cluster "c" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.c]
  locals {
    x = pod[local.y].phase # ERROR: local.x uses local.y uses local.x.
    y = "${local.x}-${target.name}"
    z = local.z # ERROR: local.z uses local.z.
  }
  expect "e" { condition = local.x == local.z }
  expect "f" { condition = step.g.error == null } # ERROR: The step "g" does not run before this one
  expect "g" { condition = step.g.error == null } # ERROR: The step "g" does not run before this one
}
