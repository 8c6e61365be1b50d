package document

import _ "embed" // the schema

// schema is written by the tests, from the types and their comments.
//
//go:embed document.schema.json
var schema []byte

// Schema is the JSON schema, draft 2020-12, of a document's JSON form.
// A document may have more properties than the schema knows, where a newer
// version of lab wrote it.
func Schema() []byte { return append([]byte(nil), schema...) }
