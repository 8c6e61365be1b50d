cluster "v129" { kubernetes = "1.29" }

scenario "slow" {
  clusters = [cluster.v129]

  apply "job" { manifests = [file("job.yaml")] }

  expect "what never comes" {
    condition = job.myapp.complete
    within    = "10m"
  }
}
