package dsl

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// manyScenarios is a file of n scenarios with 10 expectations each.
func manyScenarios(n int) fstest.MapFS {
	var b strings.Builder
	b.WriteString("variable \"image\" { default = \"busybox:1.35\" }\nlocals { main = \"main\" }\n")
	b.WriteString("cluster \"a\" { kubernetes = \"1.28\" }\ncluster \"b\" { kubernetes = \"1.29\" }\n")
	for i := range n {
		fmt.Fprintf(&b, "scenario \"s%d\" {\n  clusters = [cluster.a, cluster.b]\n  apply \"job\" { manifests = [templatefile(\"job.yaml\", { image = var.image })] }\n", i)
		for j := range 10 {
			fmt.Fprintf(&b, `  expect "e%d" {
    condition = job.myapp.complete && job.myapp.pod.container[local.main].exit_code == %d
    within    = "60s"
    outcome   = target.native_sidecars
    message   = "it was ${job.myapp.pod.status}"
  }
`, j, j)
		}
		b.WriteString("}\n")
	}
	return fstest.MapFS{"scenario.hcl": {Data: []byte(b.String())}, "job.yaml": {Data: []byte("image: ${image}\n")}}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		fsys := manyScenarios(n)
		b.Run(fmt.Sprintf("scenarios=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(fsys["scenario.hcl"].Data)))
			for b.Loop() {
				if _, list := LoadFS(fsys, "scenario.hcl", Options{}); len(list) > 0 {
					b.Fatal(list.Error())
				}
			}
		})
	}
}
