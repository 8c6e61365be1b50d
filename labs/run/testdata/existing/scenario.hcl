cluster "stage" { provider = "existing" }
cluster "team" {
  provider  = "existing"
  namespace = "team"
}

scenario "short" {
  clusters = [cluster.stage, cluster.team]
  apply "job" { manifests = [file("classic.yaml")] }
  expect "main exits 0" {
    condition = job.myapp.pod.container["main"].exit_code == 0
    within    = "10s"
  }
  expect "the version is the server's" {
    condition = target.minor == 29 && job.myapp.pod.phase != ""
  }
}

scenario "a_scenario_with_a_name_that_is_so_long_that_the_name_of_its_namespace_must_be_cut" {
  clusters = [cluster.stage, cluster.team]
  sleep "a moment" { duration = "1ms" }
}
