variable "mode" { default = "fast" }
variable "limit" { default = "3" }
cluster "v128" { kubernetes = "1.28" }
cluster "v129" {
  for_each   = var.mode == 5 ? ["a"] : toset(["b"]) # ERROR: var.mode is a string and 5 is a number: they are never equal. Did you mean "5"?
  kubernetes = "1.29"
}

locals {
  wanted = "running"
  count  = 3
  odd    = local.count == "3" # ERROR: local.count is a number and "3" is a string: they are never equal. Did you mean 3?
}

scenario "comparisons" {
  clusters = [cluster.v128]
  matrix {
    code  = [0, 1]
    phase = ["Running", "Completed"]
  }
  locals {
    p    = pod.web
    main = local.p.container["main"]
    bad  = local.main.exit_code == "0" # ERROR: local.main.exit_code is a number and "0" is a string: they are never equal. Did you mean 0?
  }

  apply "pod" {
    manifests = pod.web.phase == "up" ? "a" : "b" # ERROR: A pod's phase is Pending, Running, Succeeded, Failed or Unknown, and never "up".
  }
  apply "refused" {
    manifests    = "x"
    expect_error = "false" # ERROR: A string is a regular expression that the error must match. Did you mean false?
  }

  expect "exit code" {
    condition = pod.web.container["main"].exit_code != "0" # ERROR: pod.web.container["main"].exit_code is a number and "0" is a string: they are never equal. Did you mean 0?
  }
  expect "signal" {
    condition = local.main.signal != "SIGKILL" # ERROR: A signal is a number: SIGKILL is 9. Did you mean 9?
  }
  expect "version" {
    when      = semver(target.minor, ">= 1.35") # ERROR: Did you mean target.kubernetes? You can also compare the minor version: target.minor >= 29.
    condition = target.kubernetes >= "1.29"     # ERROR: Compare versions with semver(target.kubernetes, ">= 1.29"), or compare target.minor, which is a number.
  }
  expect "phase" {
    condition = local.p.phase == "running" # ERROR: Did you mean "Running"?
    outcome   = local.p.phase != local.wanted # ERROR: Did you mean "Running"?
    message   = "it is ${local.p.ready == true ? "ready" : "not"}" # ERROR: The READY column is a string such as "1/1". To check whether a pod is ready, use conditions["Ready"].
  }
  expect "row" {
    condition = pod.web.phase == matrix.phase # ERROR: never "Completed". For the STATUS column of kubectl, use the pod's status.
  }
  expect "number of a row" {
    condition = local.main.state == matrix.code # ERROR: local.main.state is a string and matrix.code is a number: they are never equal.
  }
  expect "loop" {
    condition = alltrue([for c in local.p.containers : c.exit_code == "0" if c.kind == "Main"]) # ERROR: c.exit_code is a number # ERROR: never "Main". Did you mean "main"?
  }
  invariant "lines" {
    condition = !anytrue([for l in local.main.log.lines : l.at == "3"]) # ERROR: l.at is a number and "3" is a string
  }
  dynamic "expect" {
    for_each = ["main", "side"]
    labels   = ["${expect.value} ends"]
    content {
      condition = local.p.container[expect.value].state == "Terminated" # ERROR: Did you mean "terminated"?
    }
  }
  wait "logged" {
    condition = logged(local.main.log.text, "ready") # ERROR: Pass the container, not its log.
  }
  sleep "a little" { duration = "1s" }
  expect "fine" {
    condition = local.main.exit_code == matrix.code && local.main.restarts < var.limit && object("v1", "Pod", "web").status.phase == "running"
  }
}
