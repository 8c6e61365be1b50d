// Package labtest runs lab's scenarios in Go tests.
//
// Run makes each expectation of a scenario a subtest:
//
//	func TestSidecars(t *testing.T) {
//		labtest.Run(t, "testdata/sidecars.hcl", labtest.Clusters("v129"))
//	}
//
// and `go test -v -run TestSidecars/native/v129` runs the scenario native on the
// cluster v129 alone.
//
// What is run, and how it is judged, is as with `lab run`: clusters come from the
// pool of the host (LAB_POOL) and go back to it, all that happens is recorded,
// and nothing is left behind, also where the test is killed, panics or runs out
// of time: a process that waits for that cleans up. It is the test's own binary,
// which this package starts again for it.
package labtest
