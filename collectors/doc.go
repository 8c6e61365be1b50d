// Package collectors says what was observed and how far it can be trusted.
//
// Everything that happened is a Record. A Timeline is the fold of the records
// of one run on one cluster, in the order in which they arrived; it is never
// changed in any other way, so a run that was recorded can be judged again
// without a cluster.
//
// The packages below it observe: pods watches the API, runtime reads the
// nodes' container runtime, nodelogs the nodes' files of the containers' logs,
// logs the containers' streams through the API. Each offers
// New(…, Sink, Options) and Run(ctx) error.
package collectors
