variable "name" { default = "x" }
cluster "c" { kubernetes = "1.28" }
scenario "s" {
  clusters = [cluster.c]

  expect "durations" {
    condition = job.x.complete
    within    = "60"  # ERROR: "60" is not a duration. A duration is a number with a unit, such as "60s", "1m30s" or "500ms".
    hold      = 15    # ERROR: Did you mean "15s"?
  }
  expect "not positive" {
    condition = job.x.complete
    within    = "0s"  # ERROR: must be greater than 0
    hold      = "-3s" # ERROR: must be greater than 0
  }
  expect "observed duration" {
    condition = job.x.complete
    within    = step.x.error # ERROR: "step" is known only while a scenario runs
  }
  expect "number" {
    condition = job.x.pod.container["m"].exit_code # ERROR: The argument "condition" must be true or false; this is a number. Compare it
  }
  expect "string" {
    condition = var.name # ERROR: this is a string, "x"
    outcome   = "yes"    # ERROR: The argument "outcome" must be true or false; this is a string, "yes".
    when      = null     # ERROR: The argument "when" must be true or false; this is null.
    message   = ["x"]    # ERROR: The argument "message" must be a string
  }
  expect "object" {
    condition = job.x # ERROR: this is an object
  }
  expect "pattern" {
    condition = logged(pod.x.container["c"], "(") # ERROR: not a regular expression
  }
  expect "no container" {
    condition = logged(pod.x, "a") # ERROR: pod.x is a pod, which logged() cannot use.
  }
  expect "" { # ERROR: A step needs a name
    condition = true
  }
  apply "manifests" {
    manifests        = { kind = "Pod" } # ERROR: Use yamlencode() for an object
    field_validation = "strikt"         # ERROR: Did you mean "strict"?
    expect_error     = 1                # ERROR: The argument "expect_error" must be true or false, or a string
  }
  apply "template" {
    manifests = templatefile("template.txt", { nmae = 1 }) # ERROR: the template uses "name" at template.txt:1, which is not among its variables. Did you mean "nmae"?
  }
}
