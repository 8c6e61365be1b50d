lab {
  name        = "fulldisk"
  description = "More log lines than there is room for."
}

cluster "v128" { kubernetes = "1.28" }

scenario "writer" {
  clusters = [cluster.v128]

  apply "writer" { manifests = file("writer.yaml") }
  expect "true: the writer ends with 3" {
    condition = pod.writer.container["main"].exit_code == 3
    within    = "3m"
  }
  expect "true: the other ends after it" {
    condition = pod.writer.container["main"].finished_at < pod.writer.container["last"].finished_at
    within    = "3m"
  }
  expect "false: the other ends with 1" {
    condition = pod.writer.container["last"].exit_code == 1
    within    = "1s"
  }
}
