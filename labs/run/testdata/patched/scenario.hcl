cluster "v129" { kubernetes = "1.29" }

scenario "patched" {
  clusters = [cluster.v129]

  apply "settings" { manifests = [file("settings.yaml")] }
  expect "the mode is old" {
    condition = object("v1", "ConfigMap", "settings").data.mode == "old"
  }
  patch "set the mode" {
    object = "configmap/settings"
    patch  = { data = { mode = "new" } }
  }
  expect "the mode is new" {
    condition = object("v1", "ConfigMap", "settings").data.mode == "new"
  }
  expect "the mode is not old any more" {
    condition = object("v1", "ConfigMap", "settings").data.mode == "old"
    outcome   = false
  }
}
