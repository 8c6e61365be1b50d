# Wide, combined and right-to-left characters before a mistake, and in it.
locals {
  宽    = "宽宽宽"
  name = "é – ünï" + 1                  # ERROR: "é – ünï" is a string
  two  = "${upper("宽é")}${local.宽ö}"    # ERROR: There is no local "宽ö". Did you mean "宽"?
  rtl  = "שלום ${var.שם}"               # ERROR: There is no variable "שם"
  flag = "🚀🚀" == local.rakete           # ERROR: There is no local "rakete"
}
cluster "größe" { kubernetes = "𝟙.28" } # ERROR: is not a version
scenario "s" {
  clusters = [cluster.große] # ERROR: There is no cluster "große". Did you mean "größe"?
  sleep "日本" { duration = "５s" } # ERROR: is not a duration
  sleep "日本" { duration = "1s" } # ERROR: The scenario has a step "日本" already
}
