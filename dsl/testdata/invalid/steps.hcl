cluster "c" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.c]
  exec "nowhere" {
    host    = false # ERROR: The argument "host" is false
    command = ["true"]
  }
  exec "nothing" {
    pod     = "web"
    command = [] # ERROR: it needs a program at least
  }
  signal "by number" {
    pod       = "web"
    container = "main"
    signal    = 9 # ERROR: or its number in quotes, such as "9"; this is a number, 9.
  }
  delete "before now" {
    objects      = "pod/web"
    grace_period = "-1s" # ERROR: cannot be negative
  }
  sleep "no time" { duration = null } # ERROR: this is null
  exec "misspelled" {
    podd    = "web" # ERROR: Did you mean "pod"?
    command = ["true"]
  }
  dynamic "finally" { # ERROR: Only one finally block is allowed here
    for_each = [1, 2]
    content {}
  }
}
