lab {
  name        = "engine"
  description = "The container engine is restarted below a cluster."
}

cluster "v129" { kubernetes = "1.29" }

scenario "engine" {
  clusters = [cluster.v129]

  apply "work" { manifests = file("work.yaml") }
  wait "it runs" {
    condition = pod.work.phase == "Running" && pod.work.container["main"].started_at > 0 && pod.work.container["side"].started_at > 0
    within    = "2m"
  }
  exec "restart" {
    host    = true
    command = ["sh", "-c", "(sleep 2; exec sh restart.sh) >/dev/null 2>&1 &"]
  }
  expect "false: main ends by itself" {
    condition = pod.work.container["main"].exit_code == 0
    within    = "80s"
  }
  expect "false: main ends with 3" {
    condition = pod.work.container["main"].exit_code == 3
    within    = "1s"
  }
  expect "false: a line that was never written" {
    condition = logged(pod.work.container["main"], "^line 51$")
    within    = "1s"
  }
}
