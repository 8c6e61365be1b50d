// Package example shows how to test on lab's clusters with Go: with
// sigs.k8s.io/e2e-framework over a cluster that is leased from the pool, and
// with scenarios of lab's own. All of it is in its tests, which need a container
// engine:
//
//	go test -tags e2e -v ./labs/labtest/example
//	go test -tags e2e -v ./labs/labtest/example -run TestScenario/native
//	go test -tags e2e -v ./labs/labtest/example -args -labels scenario=native -assess completes
package example
