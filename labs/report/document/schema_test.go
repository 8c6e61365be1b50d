package document_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// reflectedSchema is the schema as the types and their comments say.
func reflectedSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true,
		Namer: func(of reflect.Type) string { // names of other packages come twice
			own := []string{"", reflect.TypeFor[document.Document]().PkgPath(), reflect.TypeFor[report.Report]().PkgPath()}
			if of.Name() == "" || slices.Contains(own, of.PkgPath()) {
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
	for _, dir := range []string{".", "..", "../../expect", "../../../collectors", "../../../dsl/diag"} {
		if err := r.AddGoComments("github.com/kind-lab/lab/labs/report/document", dir, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(&document.Document{})
	s.Title = "A run of lab, as `lab report --format json` prints it"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	want := reflectedSchema(t)
	if *reporttest.Update {
		if err := os.WriteFile("document.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, document.Schema()) {
		t.Errorf("the schema is not that of the types; run with -update (-want +got):\n%s", cmp.Diff(string(want), string(document.Schema())))
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
	docs := map[string]document.Document{"bars": reporttest.Document(), "empty": {}}
	for name, r := range reporttest.Samples() {
		docs[name] = document.Document{Version: document.Version, Report: r}
	}
	for name, d := range docs {
		data, err := json.Marshal(document.NewCleaner(nil).Document(d))
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
