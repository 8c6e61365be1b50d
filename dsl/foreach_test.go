package dsl

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestForEachMakesClusters keeps which clusters a for_each makes, in which
// order, and what they have of each.
func TestForEachMakesClusters(t *testing.T) {
	for name, tt := range map[string]struct {
		forEach, kubernetes string
		names, keys, wants  []string
	}{
		"a set": {`toset(["1.29", "1.28"])`, "each.key",
			[]string{`all["1.28"]`, `all["1.29"]`}, []string{"1.28", "1.29"}, []string{"1.28", "1.29"}},
		"a set has its values as keys": {`toset(["1.28"])`, "each.value",
			[]string{`all["1.28"]`}, []string{"1.28"}, []string{"1.28"}},
		"an object": {`{ new = "1.29", old = "1.27" }`, "each.value",
			[]string{`all["new"]`, `all["old"]`}, []string{"new", "old"}, []string{"1.29", "1.27"}},
		"a map": {`tomap({ a = "1.30" })`, `"~> ${each.value}"`,
			[]string{`all["a"]`}, []string{"a"}, []string{"~> 1.30"}},
		"an object of objects": {`{ a = { v = "1.28" }, b = { v = "1.29" } }`, "each.value.v",
			[]string{`all["a"]`, `all["b"]`}, []string{"a", "b"}, []string{"1.28", "1.29"}},
		"a key with a quote": {`{ "a\"b" = "1.28" }`, "each.value",
			[]string{`all["a\"b"]`}, []string{`a"b`}, []string{"1.28"}},
		"a set by range": {`toset([for n in range(28, 31) : "1.${n}"])`, "each.key",
			[]string{`all["1.28"]`, `all["1.29"]`, `all["1.30"]`}, []string{"1.28", "1.29", "1.30"}, []string{"1.28", "1.29", "1.30"}},
		"nothing": {`{}`, "each.value", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, "cluster \"all\" {\n  for_each = "+tt.forEach+"\n  kubernetes = "+tt.kubernetes+"\n}\n", Options{})
			same(t, "names", tt.names, clusterNames(m.Clusters))
			var keys, versions []string
			for _, c := range m.Clusters {
				if c.Block != "all" || c.Set != "" || c.Provider != DefaultProvider {
					t.Errorf("%s is of the block %q, the set %q and the provider %q", c.Name, c.Block, c.Set, c.Provider)
				}
				keys, versions = append(keys, c.Key), append(versions, c.Kubernetes)
			}
			same(t, "keys", tt.keys, keys)
			same(t, "versions", tt.wants, versions)
		})
	}
}

// TestForEachReachesAllOfACluster uses each in every kind of argument, and in
// the blocks below.
func TestForEachReachesAllOfACluster(t *testing.T) {
	m := good(t, `
cluster "n" {
  for_each       = { one = 1, two = 2 }
  kubernetes     = "1.2${each.value}"
  image          = "node:${each.key}"
  workers        = each.value
  control_planes = 3 - each.value
  ready_timeout  = "${each.value}m"
  images         = [each.key]
  feature_gates  = { (each.key) = each.value == 1 }
  runtime_config = { key = each.key }
  component "kubelet" { extra_args = { v = each.value } }
}
`, Options{})
	for i, want := range []struct {
		image, gate   string
		workers, cps  int
		ready, v, key string
	}{{"node:one", "one", 1, 2, "1m0s", "1", "one"}, {"node:two", "two", 2, 1, "2m0s", "2", "two"}} {
		c := m.Clusters[i]
		on, has := c.FeatureGates[want.gate]
		if c.Image != want.image || c.Workers != want.workers || c.ControlPlanes != want.cps || c.ReadyTimeout.String() != want.ready ||
			!has || on != (want.workers == 1) || c.RuntimeConfig["key"] != want.key || len(c.Images) != 1 || c.Images[0] != want.key ||
			len(c.Components) != 1 || c.Components[0].ExtraArgs["v"] != want.v {
			t.Errorf("got %+v, want %+v", c, want)
		}
	}
}

// TestReferencesToClusters keeps what the argument clusters may be.
func TestReferencesToClusters(t *testing.T) {
	const declared = `
cluster "b" { kubernetes = "1.30" }
cluster "a" { kubernetes = "1.28" }
cluster "all" {
  for_each   = { old = "1.28", new = "1.30" }
  kubernetes = each.value
}
`
	for name, tt := range map[string]struct {
		clusters string
		want     []string
	}{
		"one":                   {`[cluster.a]`, []string{"a"}},
		"in the order named":    {`[cluster.b, cluster.a]`, []string{"b", "a"}},
		"one by key":            {`[cluster.all["new"]]`, []string{`all["new"]`}},
		"one by attribute":      {`[cluster.all.new]`, []string{`all["new"]`}},
		"all of a for_each":     {`values(cluster.all)`, []string{`all["new"]`, `all["old"]`}},
		"with others":           {`concat(values(cluster.all), [cluster.a])`, []string{`all["new"]`, `all["old"]`, "a"}},
		"by the version":        {`[for c in [cluster.a, cluster.b] : c if semver(c.kubernetes, ">= 1.29")]`, []string{"b"}},
		"by the key":            {`[for c in values(cluster.all) : c if c.key != "old"]`, []string{`all["new"]`}},
		"by the name":           {`[for c in [cluster.a, cluster.b] : c if c.name == "a"]`, []string{"a"}},
		"by a conditional":      {`true ? [cluster.a] : [cluster.b]`, []string{"a"}},
		"a set, in their order": {`toset([cluster.b, cluster.a])`, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, declared+"scenario \"s\" {\n  clusters = "+tt.clusters+"\n  sleep \"x\" { duration = \"1s\" }\n}\n", Options{})
			same(t, "clusters", tt.want, clusterNames(m.Scenarios[0].Clusters))
		})
	}
}

// TestWrongForEach points at what is wrong with a for_each and with references
// to what it makes.
func TestWrongForEach(t *testing.T) {
	const all = "cluster \"all\" {\n  for_each = { old = \"1.28\", new = \"1.30\" }\n  kubernetes = each.value\n}\n"
	cluster := func(forEach string) string {
		return "cluster \"x\" {\n  for_each = " + forEach + "\n  kubernetes = \"1.28\"\n}\n"
	}
	on := func(clusters string) string { return all + "scenario \"s\" { clusters = " + clusters + " }\n" }
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"a list":              {cluster(`«["1.28"]»`), []problem{"for_each|toset()"}},
		"a number":            {cluster(`«3»`), []problem{"for_each|3"}},
		"null":                {cluster(`«null»`), []problem{"for_each|null"}},
		"a string":            {cluster(`«"1.28"»`), []problem{"for_each|1.28"}},
		"too many":            {cluster(`«toset([for i in range(0, 1001) : tostring(i)])»`), []problem{"1001|1000"}},
		"sensitive":           {"variable \"v\" {\n  default = { a = 1 }\n  sensitive = true\n}\n" + cluster(`«var.v»`), []problem{"for_each|sensitive"}},
		"not known yet":       {cluster(`«target».nodes`), []problem{"target|scenario runs"}},
		"itself":              {cluster(`«each».key`), []problem{"each"}},
		"an unknown key":      {on(`[«cluster.all["nwe"]»]`), []problem{`"nwe"|"new"`}},
		"a key far off":       {on(`[«cluster.all.middle»]`), []problem{`"middle"|"new"|"old"`}},
		"all without values":  {on(`«[cluster.all]»`), []problem{"values(cluster.all)"}},
		"an unknown cluster":  {on(`[«cluster.al»]`), []problem{`"al"|"all"`}},
		"twice":               {on(`«[cluster.all.new, cluster.all["new"]]»`), []problem{"twice|new"}},
		"none":                {on(`«[]»`), []problem{"at least one"}},
		"none by a condition": {on(`«[for c in values(cluster.all) : c if c.kubernetes == "1.1"]»`), []problem{"at least one"}},
		"not a list":          {on(`«cluster.all.new»`), []problem{"must be a list|clusters"}},
		"a name":              {on(`«["all"]»`), []problem{`"all"|cluster`}},
		"each outside":        {all + "locals { x = «each».key }\n", []problem{"each"}},
		"cluster in a step":   {inScenario(`expect "x" { condition = «cluster».c.kubernetes == "1.29" }`), []problem{"clusters|target"}},
		"matrix elsewhere":    {on(`[«matrix».x]`), []problem{"matrix"}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", tt.src, Options{}, tt.want...) })
	}
}

// TestTheMostClusters keeps the limit of a for_each where it is said to be.
func TestTheMostClusters(t *testing.T) {
	m := good(t, "cluster \"x\" {\n  for_each = toset([for i in range(0, 1000) : tostring(i)])\n  kubernetes = \"1.28\"\n}\n", Options{})
	if len(m.Clusters) != maxInstances {
		t.Errorf("%d clusters, want %d", len(m.Clusters), maxInstances)
	}
}

// TestEachIsOfItsClusterAlone makes sure that the element of one for_each is not
// seen in another block.
func TestEachIsOfItsClusterAlone(t *testing.T) {
	m := good(t, `
cluster "one" {
  for_each   = { x = "1.28" }
  kubernetes = each.value
}
cluster "two" {
  for_each   = { y = "1.30" }
  kubernetes = each.value
}
`, Options{})
	same(t, "names", []string{`one["x"]`, `two["y"]`}, clusterNames(m.Clusters))
	if m.Clusters[1].Kubernetes != "1.30" || !strings.HasSuffix(m.Clusters[1].Name, `["y"]`) {
		t.Errorf("got %+v", m.Clusters[1])
	}
	if m.Scenarios != nil || m.Vars.Equals(cty.EmptyObjectVal).False() {
		t.Errorf("scenarios %v, variables %v", m.Scenarios, m.Vars)
	}
}
