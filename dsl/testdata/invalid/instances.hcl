variable "secret" {
  type      = list(string)
  default   = ["a"]
  sensitive = true
}

cluster "list" {
  for_each   = ["1.27"] # ERROR: To make a set from a list, use toset()
  kubernetes = "1.27"
}
cluster "each" {
  kubernetes = each.key # ERROR: "each" is known only in a cluster block with for_each
}
cluster "all" {
  for_each   = toset(["1.27", "1.28"])
  kubernetes = each.kye # ERROR: Did you mean "key"?
}
cluster "text" {
  for_each   = "1.27" # ERROR: must be a list, a set or a map
  kubernetes = "1.27"
}
cluster "c" { kubernetes = "1.28" }

scenario "clusters" {
  clusters = [cluster.all] # ERROR: write values(cluster.all)
}
scenario "key" {
  clusters = [cluster.all["1.29"]] # ERROR: "1.29"
}
scenario "axes" {
  clusters = [cluster.c]
  matrix {
    grace = []   # ERROR: An axis must be a list of at least one value
    image = "b"  # ERROR: An axis must be a list of at least one value
    twice = [1, 1] # ERROR: The axis has the value 1 twice
    key   = var.secret # ERROR: The values of an axis cannot be sensitive
  }
}
scenario "rows" {
  clusters = [cluster.c]
  matrix {
    grace = [5, 30]
    image = ["a", "b"]
    exclude { gracee = 5 } # ERROR: The matrix has no axis "gracee". Did you mean "grace"?
    exclude {} # ERROR: An exclude block needs a value of at least one axis
    include { grace = 60 } # ERROR: must name every axis; "image" is missing
  }
  expect "row" {
    condition = matrix.grase == 5 # ERROR: Did you mean "grace"?
    within    = matrix.grace # ERROR: Did you mean "5s"? # ERROR: Did you mean "30s"?
  }
}
scenario "none" {
  clusters = [cluster.c]
  matrix { # ERROR: All rows of the matrix are excluded
    grace = [5]
    exclude { grace = 5 }
  }
}
scenario "no axis" {} # ERROR: is not a valid name for a scenario
scenario "empty" {
  clusters = [cluster.c]
  matrix {} # ERROR: A matrix needs an axis
  matrix {} # ERROR: Only one matrix block is allowed here
}
scenario "dynamic" {
  clusters = [cluster.c]
  dynamic "expct" { # ERROR: Blocks of type "expct" are not expected here. Did you mean "expect"?
    for_each = []
    content {}
  }
  dynamic "expect" { # ERROR: must have one content block, which is the content of each generated block; this one has 0
    for_each = []
    labels   = ["x"]
  }
  dynamic "expect" { # ERROR: The argument "labels" is required
    for_each = []
    content {}
  }
  dynamic "expect" {
    for_each = ["a"]
    labels   = ["a", "b"] # ERROR: Blocks of type "expect" have 1 labels; this gives 2
    content { condition = true }
  }
  dynamic "expect" {
    for_each = ["c", "d"]
    iterator = "it" # ERROR: The iterator is a plain name, without quotes
    labels   = [it.value]
    content { condition = true }
  }
  dynamic "expect" {
    for_each = ["e", "f"]
    iterator = it
    labels   = [it.value]
    content { condition = pod[it.valeu].ready == "1/1" } # ERROR: Did you mean "value"?
  }
  dynamic "expect" {
    for_each = ["same", "same"]
    labels   = [expect.value] # ERROR: The scenario has a step "same" already
    content { condition = true }
  }
}
