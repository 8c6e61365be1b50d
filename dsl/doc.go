// Package dsl is the scenario language: it reads, checks and decodes a scenario
// file, and records the place of everything in the source.
//
// Load parses and decodes. It evaluates everything that does not depend on a
// cluster: variables, locals, and the clusters themselves. Expressions that are
// evaluated while a scenario runs stay an hcl.Expression, for a value.Scope. The
// package does not depend on Kubernetes clients, and reads only the scenario's
// own folder.
package dsl
