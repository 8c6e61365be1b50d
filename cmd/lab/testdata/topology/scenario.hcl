lab {
  name        = "topology"
  description = "Pods on several nodes reach each other, and several control planes are one."
}

cluster "workers" {
  kubernetes = "1.29"
  workers    = 2
}

cluster "control_planes" {
  kubernetes     = "1.29"
  control_planes = 3
  workers        = 1
}

scenario "network" {
  description = "A server on one worker, and clients on every node."
  clusters    = [cluster.workers]

  # Asks the server at an address, in which the shell's variables count, and
  # holds it to see the client's own. A node may learn of a Service a moment
  # after the pod behind it is ready.
  locals {
    ask = <<-EOT
      me=$(hostname -i)
      for try in $(seq 10); do
        answer=$(eval timeout 5 wget -qO- "http://$1/cgi-bin/whoami")
        echo "$answer"
        test "$answer" = "server sees $me" && exit
        test "$answer" = "server sees [::ffff:$me]" && exit
        sleep 1
      done
      exit 1
    EOT
  }

  apply "server" { manifests = templatefile("server.yaml", { node = target.nodes[1] }) }
  apply "clients" {
    manifests = [for i, node in target.nodes : templatefile("client.yaml", { name = "client-${i}", node = node })]
  }
  wait "they run" {
    condition = alltrue([for name in ["server", "client-0", "client-1", "client-2"] : pod[name].conditions["Ready"]])
    within    = "90s"
  }
  dynamic "exec" {
    for_each = ["client-0", "client-1", "client-2"]
    labels   = ["${exec.value} to the pod"]
    content {
      timeout = "1m"
      pod     = exec.value
      command = ["sh", "-c", local.ask, "ask", "${pod.server.ip}:8080"]
    }
  }
  dynamic "exec" {
    for_each = ["client-0", "client-1", "client-2"]
    labels   = ["${exec.value} to the Service's address"]
    content {
      timeout = "1m"
      pod     = exec.value
      command = ["sh", "-c", local.ask, "ask", "$WEB_SERVICE_HOST:$WEB_SERVICE_PORT"]
    }
  }
  dynamic "exec" {
    for_each = ["client-0", "client-1", "client-2"]
    labels   = ["${exec.value} to the Service's name"]
    content {
      timeout = "1m"
      pod     = exec.value
      command = ["sh", "-c", local.ask, "ask", "web"]
    }
  }
  exec "the API server by name" {
    pod     = "client-2"
    command = ["sh", "-c", "nslookup kubernetes.default.svc.cluster.local && nc -w 5 kubernetes.default.svc.cluster.local 443 </dev/null"]
  }
}

scenario "control_planes" {
  description = "The cluster goes on where one of three control planes is gone."
  clusters    = [cluster.control_planes]

  apply "before" { manifests = templatefile("client.yaml", { name = "before", node = target.nodes[3] }) }
  wait "it runs" {
    condition = pod.before.conditions["Ready"]
    within    = "90s"
  }
  node "stop the first" {
    node    = target.nodes[0]
    action  = "stop"
    timeout = "1m"
  }
  apply "after" { manifests = templatefile("client.yaml", { name = "after", node = target.nodes[3] }) }
  wait "it runs too" {
    condition = pod.after.conditions["Ready"]
    within    = "90s"
  }

  finally {
    node "start the first" {
      node    = target.nodes[0]
      action  = "start"
      timeout = "1m"
    }
  }
}
