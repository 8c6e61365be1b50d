cluster "all" {
  for_each   = toset(["1.28", "1.29"])
  kubernetes = each.key
}

scenario "echo" {
  clusters = values(cluster.all)

  matrix {
    word = ["a/b", "c"]
  }

  exec "say" {
    node    = target.nodes[0]
    command = ["echo", matrix.word]
  }
  expect "said" { condition = step.say.stdout == "${matrix.word}\n" }

  dynamic "exec" {
    for_each = ["one", "two"]
    iterator = it
    labels   = [it.value]
    content {
      node    = target.nodes[0]
      command = ["echo", it.value, matrix.word]
    }
  }
  expect "both" { condition = step.one.stdout == "one ${matrix.word}\n" && step.two.stdout == "two ${matrix.word}\n" }
}
