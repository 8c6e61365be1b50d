cluster "v129" { kubernetes = "1.29" }

scenario "hung" {
  clusters = [cluster.v129]

  apply "job" { manifests = [file("classic.yaml")] }
  expect "main exits 0 in time" {
    condition = job.myapp.pod.container["main"].exit_code == 0
    within    = "400ms"
  }
}
