// Package dsl is the scenario language: it reads a scenario file, checks it
// and says what it asks for, with the place of everything in the source.
//
// Load parses and decodes. What does not depend on a cluster (variables,
// locals, the clusters themselves) is evaluated there; what is judged or done
// while a scenario runs stays an hcl.Expression, evaluated later in a
// value.Scope. The package knows nothing of Kubernetes clients and reads only
// the scenario's own folder.
package dsl
