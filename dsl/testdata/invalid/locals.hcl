locals {
  a = local.b # ERROR: local.a uses local.b uses local.c uses local.a
  b = local.c
  c = local.a
  d = local.nowhere # ERROR: There is no local "nowhere". Declare it: locals { nowhere = ... }.
  e = pod.x.name    # ERROR: "pod" is known only while a scenario runs
  f = lengt([])     # ERROR: There is no function named "lengt". Did you mean "length"?
  g = file("../../../secret") # ERROR: is not below the scenario's folder
  h = file("clustr.hcl")      # ERROR: Did you mean "cluster.hcl"?
  i = "x" + 1                 # ERROR: "x" is a string; a number is needed here.
  j = 1 / 0                   # ERROR: division by zero
}
locals {
  d = 3 # ERROR: There is a local "d" already
}
cluster "c" { kubernetes = "1.28" }
scenario "s" {
  clusters = [cluster.c]
  locals {
    d    = 3                    # ERROR: There is a local "d" already
    self = local.self           # ERROR: depends on itself
    bad  = pod.x.phse           # ERROR: Did you mean "phase"?
  }
  expect "e" { condition = local.bad == "x" }
}
