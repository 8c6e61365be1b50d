lab {
  name        = "killed"
  description = "What is left when lab is killed in the middle of this."
}

cluster "v128" { kubernetes = "1.28" }

scenario "short" {
  clusters = [cluster.v128]

  apply "sleeper" { manifests = file("sleeper.yaml") }
  wait "it runs" {
    condition = pod.sleeper.conditions["Ready"]
    within    = "60s"
  }
  exec "on this machine" {
    host    = true
    command = ["sleep", "3"]
  }
  expect "it goes on" {
    condition = pod.sleeper.phase == "Running"
    hold      = "3s"
  }
}
