cluster "v129" { kubernetes = "1.29" }

scenario "wrong" {
  clusters = [cluster.v128]
}
