cluster "a" {
  kubernets = "1.28" # ERROR: Did you mean "kubernetes"?
}

scenario "x" {
  clusters = [cluster.a]
  apply "j" {
    manifest = "x" # ERROR: Did you mean "manifests"?
  }
  expect "e" { # ERROR: The argument "condition" is required
    whithin = "3s" # ERROR: Did you mean "within"?
  }
  expect "block" { # ERROR: The argument "condition" is required
    condition {} # ERROR: Did you mean to define argument "condition"?
  }
}
