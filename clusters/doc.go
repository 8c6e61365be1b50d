// Package clusters says what a cluster to run on is: the Spec that asks for
// one, the Handle that reaches it, the Engine (docker, podman, nerdctl) that
// its nodes run in, and the Host facts that decide what must be adapted. A
// Provider states the Capabilities of its clusters; README.md says how one is
// added.
//
// The packages below it do the work: engine finds or brings up the container
// engine, nodeimage provides the node images, kind makes clusters of them.
// They do not import each other; labs/wiring wires them.
package clusters
