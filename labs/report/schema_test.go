package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kind-lab/lab/labs/expect"
)

// reflectedSchema is the schema as the types and their comments say.
func reflectedSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true,
		Namer: func(of reflect.Type) string { // names of other packages come twice
			if of.Name() == "" || of.PkgPath() == reflect.TypeFor[Document]().PkgPath() {
				return of.Name()
			}
			return path.Base(of.PkgPath()) + "." + of.Name()
		},
		Mapper: func(of reflect.Type) *jsonschema.Schema {
			switch of {
			case reflect.TypeFor[expect.Status]():
				return &jsonschema.Schema{Type: "string", Enum: []any{"pending", "skip", "pass", "fail", "error"}}
			case reflect.TypeFor[json.RawMessage]():
				return jsonschema.TrueSchema
			}
			return nil
		},
	}
	for _, dir := range []string{".", "../expect", "../../collectors", "../../dsl/diag"} {
		if err := r.AddGoComments("github.com/kind-lab/lab/labs/report", dir, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(&Document{})
	s.Title = "A run of lab, as `lab report -format json` prints it"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	want := reflectedSchema(t)
	if *update {
		if err := os.WriteFile("document.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, DocumentSchema()) {
		t.Errorf("the schema is not that of the types; run with -update (-want +got):\n%s", cmp.Diff(string(want), string(DocumentSchema())))
	}
	if !bytes.Contains(want, []byte(`"description": "Pictures are what was recorded, one for each of the report's runs and in`)) {
		t.Error("the comments are not in the schema")
	}
}

// compiledSchema validates documents.
func compiledSchema(t *testing.T) *validator.Schema {
	t.Helper()
	schema, err := validator.UnmarshalJSON(bytes.NewReader(reflectedSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("document.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("document.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func valid(t *testing.T, schema *validator.Schema, document []byte) error {
	t.Helper()
	data, err := validator.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(data)
}

func TestDocumentsAreValid(t *testing.T) {
	schema := compiledSchema(t)
	docs := map[string]Document{"bars": sampleDocument(), "empty": {}}
	for name, r := range samples() {
		docs[name] = Document{Version: DocumentVersion, Report: r}
	}
	for name, d := range docs {
		data, err := json.Marshal(NewCleaner(nil).Document(d))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, schema, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{"no report": `{"version": 1}`, "no object": `[]`, "a status": `{"version":1,"report":{"status":"fine"}}`} {
		if valid(t, schema, []byte(bad)) == nil {
			t.Errorf("%s is valid", name)
		}
	}
}
