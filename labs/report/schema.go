package report

import _ "embed" // the schema

// documentSchema is written by the tests, from the types and their comments.
//
//go:embed document.schema.json
var documentSchema []byte

// DocumentSchema is the JSON schema, draft 2020-12, of a document's JSON form.
// A document may have more properties than the schema knows, where a newer
// version of lab wrote it.
func DocumentSchema() []byte { return append([]byte(nil), documentSchema...) }
