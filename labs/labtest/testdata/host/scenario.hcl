cluster "v129" { kubernetes = "1.29" }

scenario "host" {
  clusters = [cluster.v129]

  exec "here" {
    host    = true
    command = ["true"]
  }
}
