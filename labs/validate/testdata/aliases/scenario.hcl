cluster "a" { kubernetes = "1.29" }

locals {
  names = ["main", "man1"]
}

scenario "aliases" {
  clusters = [cluster.a]
  locals {
    c     = job.myapp.pod.container
    again = local.c
    web   = pod.web
    wrong = pod.wep # ERROR: No step of the scenario applies a pod "wep". Did you mean "web"?
    both  = { a = pod.web, b = job.myapp.pod }
    which = "man2"
    step  = step.job
  }
  apply "job" { manifests = file("job.yaml") }

  expect "a container through a local" {
    condition = local.c["man3"].exit_code == 0 # ERROR: The pod has no container "man3". Did you mean "main"?
  }
  expect "through a local of a local" {
    condition = local.again.man4.exit_code == 0 # ERROR: The pod has no container "man4". Did you mean "main"?
  }
  expect "by a computed key" {
    condition = local.c[local.which].exit_code == 0 # ERROR: The pod has no container "man2". Did you mean "main"?
  }
  expect "of a pod in a map" {
    condition = local.both["a"].container["side"].ready # ERROR: The pod has no container "side". There is main.
  }
  expect "of each pod" {
    condition = alltrue([for p in [pod.web, job.myapp.pod] : p.container["man5"].ready]) # ERROR: The pod has no container "man5"
  }
  expect "of each name" {
    condition = alltrue([for n in local.names : local.c[n].ready]) # ERROR: The pod has no container "man1". Did you mean "main"?
  }
  expect "a pod through a local" {
    condition = local.wrong.ready == "1/1"
  }
  expect "a pod by a computed name" {
    condition = pod[local.which].ready == "1/1" # ERROR: No step of the scenario applies a pod "man2".
  }
  expect "a result through a local" {
    condition = local.step.stdout == "x" # ERROR: The step "job" is no exec, so its stdout is always null.
  }
  expect "with a default" {
    condition = try(local.c["none"].ready, true) && local.web.container["main"].ready
  }
  dynamic "expect" {
    for_each = ["main", "side", "man6"]
    iterator = each
    labels   = ["${each.value} starts"]
    content {
      condition = local.c[each.value].started_at > 0 # ERROR: The pod has no container "man6". Did you mean "main"?
    }
  }
}

scenario "rows" {
  clusters = [cluster.a]
  matrix {
    name = ["main", "man7"]
  }
  apply "job" { manifests = file("job.yaml") }
  expect "the container of a row" {
    condition = pod.web.container[matrix.name].ready # ERROR: The pod has no container "man7". Did you mean "main"?
  }
}
