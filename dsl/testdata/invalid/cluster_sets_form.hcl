lab { cluster_sets = "standard" } # ERROR: must be a literal list of names, such as ["standard"]

scenario "s" {
  clusters = [cluster.v128]
}
