scenaro "x" {} # ERROR: Blocks of type "scenaro" are not expected here. Did you mean "scenario"?

exercise "x" {} # ERROR: Blocks of type "exercise" belong to the language, but this version of lab cannot do them yet

lab { name = "one" }
lab { name = "two" } # ERROR: Duplicate lab block

cluster "a" { kubernetes = "1.28" }

scenario {} # ERROR: Missing name for scenario

scenario "later" {
  clusters = [cluster.a]
  exec "x" { # ERROR: Blocks of type "exec" belong to the language
    command = ["true"]
  }
  wait "w" {}      # ERROR: "wait"
  delete "d" {}    # ERROR: "delete"
  patch "p" {}     # ERROR: "patch"
  sleep "s" {}     # ERROR: "sleep"
  signal "g" {}    # ERROR: "signal"
  node "n" {}      # ERROR: "node"
  invariant "i" {} # ERROR: "invariant"
  finally {}       # ERROR: "finally"
  matrix {}        # ERROR: "matrix"
  expcet "x" {}    # ERROR: Did you mean "expect"?
}
