scenaro "x" {} # ERROR: Blocks of type "scenaro" are not expected here. Did you mean "scenario"?

exercise "x" {} # ERROR: The language defines blocks of type "exercise", but this version of lab does not support them yet

lab { name = "one" }
lab { name = "two" } # ERROR: Duplicate lab block

cluster "a" { kubernetes = "1.28" }

scenario {} # ERROR: Missing name for scenario

scenario "steps" {
  clusters = [cluster.a]
  exec "x" { # ERROR: One of the arguments "host", "node" or "pod" is required
    command = ["true"]
  }
  exec "two" {
    pod     = "a"
    node    = "b" # ERROR: Only one of the arguments "host", "node" or "pod" is allowed, and "pod" is set already
    command = "true" # ERROR: must be a list of strings, the program first; this is "true".
  }
  exec "container" {
    node      = "b"
    container = "c" # ERROR: The argument "container" requires the argument "pod"
    command   = ["true"]
  }
  exec "pod" {
    pod     = pod.x # ERROR: Add .name to it.
    command = ["true"]
    timeout = 5 # ERROR: Did you mean "5s"?
  }
  wait "w" {}      # ERROR: The argument "condition" is required
  delete "d" {}    # ERROR: One of the arguments "manifests" or "objects" is required
  delete "objects" {
    objects     = ["pod/a", "pod b"] # ERROR: "pod b" does not name an object
    propagation = "forground" # ERROR: Did you mean "foreground"?
    grace_period = "0s"
  }
  patch "p" { # ERROR: The argument "object" is required
    patch = null # ERROR: not null
    type  = "jsn" # ERROR: Did you mean "json"?
    expect_error = "(" # ERROR: Error parsing regexp: missing closing ): `(`.
  }
  sleep "s" { duration = "0s" } # ERROR: must be greater than 0
  signal "g" { # ERROR: The argument "pod" is required
    container = 3 # ERROR: must be a container's name; this is a number, 3.
  }
  node "n" {
    action  = "pause"
    service = "kubelet" # ERROR: The action "pause" applies to the node itself.
  }
  node "action" { action = "reboot" } # ERROR: must be "cordon", "drain", "pause", "restart", "start", "stop", "uncordon" or "unpause", not "reboot".
  invariant "i" {
    condition = 1 # ERROR: must be true or false; this is a number, 1.
    within    = "5s" # ERROR: An argument named "within" is not expected here
  }
  finally {
    expect "e" { condition = true } # ERROR: Blocks of type "expect" are not expected here
    sleep "s" { duration = "1s" } # ERROR: The scenario has a step "s" already
  }
  finally {} # ERROR: Only one finally block is allowed here
  expcet "x" {}    # ERROR: Did you mean "expect"?
}
