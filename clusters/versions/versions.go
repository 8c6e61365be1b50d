// Package versions is the table of the minor versions of Kubernetes that lab
// knows. It is data alone.
//
// A new version is a new row in All. What comes from the row: the releases whose
// modules node images are built from, the release whose feature gates are read
// (`go generate ./clusters/gates` reads them), the clusters of the set that the
// catalog's labs run on, and the versions that `make test` runs on. The tests of
// clusters/gates and of labs/catalog say what is missing of a row: its gates, a
// column of labs/README.md, a recording of a lab.
package versions

import "fmt"

// Version is what is known of a minor version.
type Version struct {
	// Minor is 28 of Kubernetes 1.28.
	Minor int
	// Gates is the release whose feature gates are in the table of
	// clusters/gates, such as "1.28.15".
	Gates string
	// Modules are releases of which all Go modules were there, newest first, so
	// that node images can be built from them; nil if none was found. A list of
	// a module's versions can be incomplete: these are tried before what is
	// listed.
	Modules []string
	// Standard are the standard clusters of the version; nil for a version
	// that the catalog's labs do not run on.
	Standard []Cluster
	// Tests says which tests on real clusters run on the version.
	Tests Tests
}

// Cluster is a cluster on which all labs of the catalog run.
type Cluster struct {
	// Name is an identifier, such as "v128_on".
	Name string
	// FeatureGates are those of all components; nil for the version's defaults.
	FeatureGates map[string]bool
}

// Tests are the tests on real clusters for which a version is used.
type Tests struct {
	// EndToEnd says that `make e2e` builds and uses a node image of it.
	EndToEnd bool
	// Labs says that `make test-labs` runs the labs on its standard clusters.
	Labs bool
}

// Line is the version as scenarios write it, such as "1.28".
func (v Version) Line() string { return fmt.Sprintf("1.%d", v.Minor) }

// All returns the table, oldest version first, one row for each minor version
// from the oldest to the newest.
func All() []Version {
	both, labs := Tests{EndToEnd: true, Labs: true}, Tests{Labs: true}
	return []Version{
		{Minor: 27, Gates: "1.27.3", Modules: []string{"1.27.3"}, Tests: both, Standard: plain("v127")},
		{Minor: 28, Gates: "1.28.15", Modules: []string{"1.28.15"}, Tests: both, Standard: []Cluster{
			{Name: "v128"},
			{Name: "v128_on", FeatureGates: map[string]bool{"SidecarContainers": true}},
		}},
		{Minor: 29, Gates: "1.29.15", Modules: []string{"1.29.15"}, Tests: both, Standard: plain("v129")},
		{Minor: 30, Gates: "1.30.14", Modules: []string{"1.30.14"}},
		{Minor: 31, Gates: "1.31.14"},
		{Minor: 32, Gates: "1.32.10"},
		{Minor: 33, Gates: "1.33.6", Modules: []string{"1.33.13", "1.33.0"}, Standard: plain("v133")},
		{Minor: 34, Gates: "1.34.4", Modules: []string{"1.34.2"}},
		{Minor: 35, Gates: "1.35.4", Modules: []string{"1.35.4"}},
		{Minor: 36, Gates: "1.36.3", Modules: []string{"1.36.3"}, Standard: plain("v136")},
		{Minor: 37, Gates: "1.37.0", Modules: []string{"1.37.0"}, Tests: labs, Standard: plain("v137")},
	}
}

// plain is one cluster with the defaults of its version.
func plain(name string) []Cluster { return []Cluster{{Name: name}} }

// Oldest is the oldest version of the table, and Newest the newest.
func Oldest() Version { return All()[0] }

// Newest is the newest version of the table.
func Newest() Version {
	all := All()
	return all[len(all)-1]
}

// Modules are the releases of all versions of which all Go modules were there,
// such as "1.28.15", newest first.
func Modules() []string {
	var releases []string
	all := All()
	for i := range all {
		releases = append(releases, all[len(all)-1-i].Modules...)
	}
	return releases
}
