lab {
  name             = ["x"]     # ERROR: The argument "name" must be a string
  required_version = "newest"  # ERROR: The required_version is not a valid constraint
}
cluster "c" { kubernetes = "1.28" }
scenario "two-word" {
  clusters    = [cluster.c]
  description = null # ERROR: must be a string, not null
}
scenario "two words" { # ERROR: is not a valid name for a scenario
  clusters = [cluster.c]
}
scenario "nothing" { clusters = null } # ERROR: must be a list of clusters
