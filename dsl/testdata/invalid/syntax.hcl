scenario "s" {
  clusters = [cluster.c
  apply "x" { # ERROR: Missing item separator
  }
}
