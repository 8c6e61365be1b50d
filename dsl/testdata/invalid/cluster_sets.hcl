lab {
  cluster_sets = [
    "standard",
    "standrad",             # ERROR: There is no cluster set "standrad". Did you mean "standard"? Available cluster sets: "broken", "mesh" and "standard".
    "istio-ambient",        # ERROR: There is no cluster set "istio-ambient". Available cluster sets: "broken", "mesh" and "standard".
    "standard",             # ERROR: The cluster set "standard" is named already, at testdata/invalid/cluster_sets.hcl:3.
    "mesh",                 # ERROR: The cluster sets "standard", at testdata/invalid/cluster_sets.hcl:3, and "mesh" both have "v129".
    "broken",               # ERROR: has a cluster "not a name", which is not a valid name # ERROR: "one" is not a version
    7,                      # ERROR: The name of a cluster set must be a string, such as "standard"; this is 7.
    local.more,             # ERROR: a plain value is required
  ]
}

locals { more = "mesh" }

cluster "v128" { kubernetes = "1.30" } # ERROR: The cluster "v128" is already in the cluster set "standard", at testdata/invalid/cluster_sets.hcl:3.

# It is not said of cluster.other that there is none: it may be of the set that is
# not known.
scenario "s" {
  clusters = [cluster.other]
}
