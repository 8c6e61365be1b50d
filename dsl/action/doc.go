// Package action holds the verbs of the scenario language, one file for each.
// A verb's file has the schema of its block with its documentation, the type of
// the decoded block, the decoder, the expressions that are evaluated later, and
// the time that a step may take. Default lists all verbs.
//
// # Adding a step verb
//
// A verb has two sides, and each side has one table.
//
//  1. dsl/action/VERB.go declares a type that embeds Limits, and a Verb with
//     the block's schema, the default of its timeout and a Decode function.
//     The type implements Action by its method Expressions; Limits has the
//     other methods. Add one line to Default.
//  2. labs/step/VERB evaluates the arguments and carries the step out: see the
//     package labs/step. Add one line to labs/step/verbs.
//
// Everything else uses the tables: `lab explain`, `lab schema`, the
// language server, dsl/README.md (written by `go test ./dsl/schema -update`),
// the decoder, `lab validate`, `lab plan`, the engine, replays and reports.
// labs/step/verbs has a test that fails if a verb that acts is in one table and
// not in the other, and a test that adds a verb to both and runs it.
package action
