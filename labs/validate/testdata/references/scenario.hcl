cluster "a" { kubernetes = "1.29" }

scenario "closed" {
  clusters = [cluster.a]
  locals {
    main = job.myapp.pod.container["maim"] # ERROR: The pod has no container "maim". Did you mean "main"?
  }
  apply "job" { manifests = file("job.yaml") }
  expect "names" {
    condition = pod.wep.ready == "1/1" || pod["web"].ready == "1/1" # ERROR: No step of the scenario applies a pod "wep". Did you mean "web"?
  }
  expect "a Job's pod" {
    condition = pod.myapp.phase == "Running" # ERROR: The pod of the Job is job.myapp.pod.
  }
  expect "generated" {
    condition = pod["myapp-x7k2p"].phase == "Running" && job["tick-123"].complete
  }
  expect "container" {
    condition = local.main.exit_code == 0 && job.myapp.pod.container.side.ready && job.myapp.pod.container["nope"].ready # ERROR: There is side, main.
  }
  expect "later" {
    condition = job.late.complete # ERROR: Job "late" is applied by a later step
  }
  apply "late" { manifests = replace(file("job.yaml"), "myapp", "late") }
  expect "results" {
    condition = step.job.stdout == "x" # ERROR: The step "job" is no exec, so its stdout is always null.
  }
  expect "is there" {
    condition = job.late.complete && step.job.finished_at > 0
  }
}

scenario "open" {
  clusters = [cluster.a]
  apply "a mesh" {
    manifests = yamlencode({ apiVersion = "networking.istio.io/v1", kind = "Sidecar", metadata = { name = "x" } })
  }
  expect "anything" { condition = pod.injected.container["istio-proxy"].ready }
}

scenario "unknown" {
  clusters = [cluster.a]
  apply "by node" { manifests = replace(file("job.yaml"), "myapp", target.nodes[0]) }
  expect "anything" { condition = job.whatever.complete }
}

scenario "patched" {
  clusters = [cluster.a]
  apply "job" { manifests = file("job.yaml") }
  patch "debugger" {
    object      = "pod/web"
    patch       = { spec = { ephemeralContainers = [{ name = "debug" }] } }
    subresource = "ephemeralcontainers"
  }
  expect "the debugger" { condition = pod.web.container["debug"].state == "running" }
}
