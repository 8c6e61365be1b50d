lab {
  name        = "logstorm"
  description = "Ten containers that each write 10,000 lines a second for 30 s, while their logs are rotated."
}

cluster "v128" {
  kubernetes = "1.28"
}

scenario "storm" {
  description = "Every line that was written is recorded, or declared as lost."
  clusters    = [cluster.v128]

  apply "storm" { manifests = file("storm.yaml") }
  wait "all is written" {
    condition = pod.storm.phase == "Succeeded"
    within    = "150s"
  }
}
