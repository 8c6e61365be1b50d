variable "name" { default = "web" }

cluster "old" { kubernetes = "1.27" }
cluster "off" { kubernetes = "1.28" }
cluster "new" { kubernetes = "1.35" }

scenario "files" {
  clusters = [cluster.new]
  apply "broken" { manifests = [file("broken.yaml")] }
  apply "pods" { manifests = [file("pods.yaml")] }
  apply "inline" {
    manifests = "apiVersion: v1\nkind: Pod\n" # ERROR: Line 1 of the manifest: The Pod has no metadata.name.
  }
  apply "template" {
    manifests = [
      templatefile("template.yaml", { name = var.name }), # ERROR: Line 6 of the manifest: did not find expected node content
      "- a list",                                         # ERROR: a document must be an object
      "# nothing",                                        # ERROR: it holds no object
    ]
  }
  apply "refused" {
    manifests    = "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: a}]}}"
    expect_error = true
  }
  delete "broken too" { manifests = file("./broken.yaml") }
}

scenario "fields" {
  clusters = [cluster.old, cluster.off, cluster.new]
  apply "strict" { manifests = file("native.yaml") }
  apply "lenient" {
    manifests        = file("native2.yaml")
    field_validation = "ignore"
  }
}

scenario "aware" {
  clusters = [cluster.off]
  apply "job" { manifests = file("native.yaml") }
  expect "it completes" {
    condition = job.native.complete
    within    = "10s"
    outcome   = target.native_sidecars
  }
}
