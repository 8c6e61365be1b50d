lab {
  name        = "faults"
  description = "Clusters that misbehave while something is judged on them. What is called true is true and must not come out as failed; what is called false must not pass."
}

cluster "v129" { kubernetes = "1.29" }

locals {
  # What is done to the node, in the background, 2 s after the pod runs.
  faults = {
    none              = "true"
    apiserver-5s      = "docker exec $N sh -c 'end=$(($(date +%s)+5)); while [ $(date +%s) -lt $end ]; do pkill -9 kube-apiserver; sleep 0.1; done'"
    apiserver-30s     = "docker exec $N sh -c 'end=$(($(date +%s)+30)); while [ $(date +%s) -lt $end ]; do pkill -9 kube-apiserver; sleep 0.1; done'"
    containerd        = "docker exec $N systemctl restart containerd"
    containerd-killed = "docker exec $N sh -c 'pkill -9 -x containerd; systemctl restart containerd'"
    kubelet           = "docker exec $N systemctl restart kubelet"
    paused            = "docker pause $N; sleep 30; docker unpause $N"
  }
}

scenario "fault" {
  clusters = [cluster.v129]
  matrix {
    fault = ["none", "apiserver-5s", "apiserver-30s", "containerd", "containerd-killed", "kubelet", "paused"]
  }

  apply "work" { manifests = file("work.yaml") }
  wait "it runs" {
    condition = pod.work.phase == "Running" && alltrue([for c in [pod.work.container["main"], pod.work.container["side"], pod.late.container["first"]] : c.started_at > 0])
    within    = "2m"
  }
  invariant "true: nothing restarts" {
    condition = pod.work.container["main"].restarts == 0
  }
  exec "fault" {
    host    = true
    command = ["sh", "-c", "N=${target.nodes[0]}; (sleep 2; ${local.faults[matrix.fault]}) >/dev/null 2>&1 &"]
  }
  expect "true: it goes on running" {
    condition = pod.work.phase == "Running"
    hold      = "8s"
  }
  expect "false: main ends by itself within 10 s" {
    condition = pod.work.container["main"].exit_code == 0
    within    = "10s"
  }
  expect "true: short, which lives for some milliseconds, ends with 3" {
    condition = pod.late.container["short"].exit_code == 3
    within    = "2m"
  }
  expect "true: side ends with 5" {
    condition = pod.work.container["side"].exit_code == 5
    within    = "2m"
  }
  expect "true: main ends with 0" {
    condition = pod.work.container["main"].exit_code == 0
    within    = "2m"
  }
  expect "false: main ends with 1" {
    condition = pod.work.container["main"].exit_code == 1
    within    = "1s"
  }
  expect "true: side ends before main" {
    condition = pod.work.container["side"].finished_at < pod.work.container["main"].finished_at
    within    = "30s"
  }
  expect "false: main ends before side" {
    condition = pod.work.container["main"].finished_at < pod.work.container["side"].finished_at
    within    = "1s"
  }
  expect "true: short ends before last starts" {
    condition = pod.late.container["short"].finished_at < pod.late.container["last"].started_at
    within    = "30s"
  }
  expect "true: every line is there" {
    condition = length(pod.work.container["main"].log.lines) == 50
    within    = "10s"
  }
  expect "false: a line that was never written" {
    condition = logged(pod.work.container["main"], "^line 51$")
    within    = "1s"
  }
  expect "true: the pod has failed, as side has" {
    condition = pod.work.phase == "Failed"
    within    = "2m"
  }
}

# What hangs neither answers nor breaks: nothing shows that nothing is reported.
scenario "hang" {
  clusters = [cluster.v129]
  matrix {
    what = ["kube-apiserver", "containerd"]
  }

  apply "brief" { manifests = file("brief.yaml") }
  wait "it runs" {
    condition = pod.brief.phase == "Running" && pod.brief.container["main"].started_at > 0
    within    = "2m"
  }
  invariant "true: nothing restarts" {
    condition = pod.brief.container["main"].restarts == 0
  }
  exec "fault" {
    host    = true
    command = ["sh", "-c", "(sleep 2; docker exec ${target.nodes[0]} sh -c 'pkill -STOP -x ${matrix.what}; sleep 20; pkill -CONT -x ${matrix.what}') >/dev/null 2>&1 &"]
  }
  expect "true: main ends with 5, in time" {
    condition = pod.brief.container["main"].exit_code == 5
    within    = "14s"
  }
  expect "false: main ends with 1" {
    condition = pod.brief.container["main"].exit_code == 1
    within    = "1s"
  }
  expect "true: its last line is there" {
    condition = logged(pod.brief.container["main"], "^done$")
    within    = "1s"
  }
  expect "true: the API tells so, later" {
    condition = pod.brief.phase == "Failed"
    within    = "1m"
  }
}
