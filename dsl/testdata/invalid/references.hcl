variable "image" { default = "busybox" }
cluster "v128" { kubernetes = "1.28" }

scenario "x" {
  clusters = [cluster.v12] # ERROR: There is no cluster "v12". Did you mean "v128"?

  apply "first" { manifests = var.imge } # ERROR: There is no variable "imge". Did you mean "image"?

  expect "attribute" {
    condition = job.myapp.pod.container["main"].exit_cod == 0 # ERROR: A container has no attribute "exit_cod". Did you mean "exit_code"?
  }
  expect "swallowed by the operator" {
    condition = var.image == "other" && pod.x.fase == "y" # ERROR: A pod has no attribute "fase". Did you mean "phase"?
  }
  expect "root" {
    condition = jbo.myapp.complete # ERROR: There is nothing called "jbo" here. A reference begins with job, local, path, pod, step, target or var, or with a kind of objects, such as deployment. Did you mean "job"?
  }
  expect "job" {
    condition = job.myapp.completed # ERROR: A job has no attribute "completed". Did you mean "complete"?
  }
  expect "target" {
    condition = target.native_sidecar # ERROR: The target has no attribute "native_sidecar". Did you mean "native_sidecars"?
  }
  expect "step" {
    condition = step.frist.started_at > 1 # ERROR: The scenario has no step "frist". Did you mean "first"?
  }
  expect "later" {
    condition = step.last.started_at > 1 # ERROR: The step "last" does not run before this one
  }
  expect "itself" {
    condition = step.itself.started_at > 1 # ERROR: The step "itself" does not run before this one
  }
  expect "result" {
    condition = step.first.output == "" # ERROR: A step has no attribute "output". It has error, exit_code, finished_at, started_at, stderr, stdout and warnings.
  }
  expect "cluster" {
    condition = cluster.v128.name == "v128" # ERROR: The cluster that the scenario runs on is "target".
  }
  expect "matrix" {
    condition = matrix.size == 1 # ERROR: The scenario has no matrix block
  }
  expect "deployment" {
    condition = deploiment.web.ready # ERROR: There is nothing called "deploiment" here
  }
  expect "bare" {
    condition = pod.x.phase == Running # ERROR: Write a string in quotes: "Running".
  }
  expect "two" {
    condition = pod.x.pahse == "a" || job.y.comlete # ERROR: "pahse" # ERROR: "comlete"
  }
  expect "path" {
    condition = path.module == "x" # ERROR: This object has no attribute "module". It has scenario.
  }
  expect "containers" {
    condition = pod.x.containers.main.ready # ERROR: Can't access attributes on a list of objects
  }
  apply "last" { manifests = "x" }
  apply "last" { manifests = "y" } # ERROR: The scenario has a step "last" already
}

scenario "x" { clusters = [cluster.v128] } # ERROR: There is a scenario "x" already
scenario "none" { clusters = [] } # ERROR: A scenario needs at least one cluster
scenario "text" { clusters = ["v128"] } # ERROR: Every element must be a cluster of this file, such as cluster.v128; this is "v128".
scenario "single" { clusters = cluster.v128 } # ERROR: must be a list of clusters, such as [cluster.v128]
scenario "twice" { clusters = [cluster.v128, cluster.v128] } # ERROR: cluster.v128 is listed twice
