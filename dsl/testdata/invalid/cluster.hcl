cluster "number" {
  kubernetes = 1.30 # ERROR: A version must be a string in quotes
}
cluster "form" {
  kubernetes = "one" # ERROR: "one" is not a version
}
cluster "existing" {
  provider       = "existing"
  kubeconfig     = "x"
  context        = ["x"]                      # ERROR: must be a string
  image          = "kindest/node:v1.28.15"    # ERROR: "image" is not for provider
  feature_gates  = { Sidecar = true }         # ERROR: "feature_gates" is not for provider
  runtime_config = { "api/alpha" = true }     # ERROR: "runtime_config" is not for provider
  workers        = 1                          # ERROR: "workers" is not for provider
  images         = ["busybox:1.35"]           # ERROR: "images" is not for provider
  component "kubelet" {}                      # ERROR: "component" is not for provider
}
cluster "confined" {
  provider    = "existing"
  namespace   = "team"
  node_access = "busybox:1.35" # ERROR: Write "namespace" or "node_access", not both
}
cluster "made" { kubeconfig = "x" } # ERROR: The argument "kubernetes" is required # ERROR: requires provider = "existing"
cluster "provider" {
  kubernetes = "1.28"
  provider   = "kin" # ERROR: Did you mean "kind"?
}
cluster "many" {
  kubernetes     = "1.28"
  context        = "x"                 # ERROR: it requires provider = "existing"
  feature_gates  = { Sidecar = "yes" } # ERROR: an object of names with true or false
  control_planes = 0                   # ERROR: a whole number from 1 to 1000
  workers        = 1.5                 # ERROR: a whole number from 0 to 1000
  images         = "busybox"           # ERROR: must be a list of strings
  ready_timeout  = "5 minutes"         # ERROR: "5 minutes" is not a duration. A duration is a number with a unit
  runtime_config = { "a" = null }      # ERROR: not null
  component "kublet" {}                # ERROR: Did you mean "kubelet"?
  component "kube-scheduler" {}
  component "kube-scheduler" {} # ERROR: The component "kube-scheduler" is configured already
  image = target.name           # ERROR: "target" is known only while a scenario runs
}
cluster "many" { kubernetes = "1.28" } # ERROR: There is a cluster "many" already
cluster "not a name" { kubernetes = "1.28" } # ERROR: is not a valid name for a cluster
