cluster "v127" { kubernetes = "1.27" }
cluster "v128" { kubernetes = "1.28" }
cluster "v129" { kubernetes = "1.29" }

scenario "classic" {
  clusters = [cluster.v127, cluster.v129]

  apply "job" { manifests = [file("classic.yaml")] }

  expect "main exits 0" {
    condition = job.myapp.pod.container["main"].exit_code == 0
    within    = "10s"
  }
  expect "the Job does not complete" {
    condition = !job.myapp.complete
    hold      = "300ms"
  }
}

scenario "native" {
  clusters = [cluster.v127, cluster.v128, cluster.v129]

  apply "strict" {
    manifests    = [file("native.yaml")]
    expect_error = target.minor < 28
  }
  expect "the refusal names the field" {
    when      = target.minor < 28
    condition = can(regex("unknown field", step.strict.error))
  }
  apply "lenient" {
    manifests        = [file("native.yaml")]
    field_validation = "warn"
  }
  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "1500ms"
    outcome   = target.native_sidecars
  }
  expect "the sidecar ends last" {
    when      = target.native_sidecars
    condition = job.myapp.pod.container["main"].finished_at < job.myapp.pod.container["helper"].finished_at
  }
}
