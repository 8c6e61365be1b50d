package render

import (
	"encoding/json"
	"fmt"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// schemas returns an error if the schema of a chart's values refers to what is not
// in it: Helm would fetch an address, and read a file of this machine.
func schemas(c *chart.Chart) error {
	var schema any
	if len(c.Schema) > 0 && json.Unmarshal(c.Schema, &schema) == nil { // Helm says what is the matter with it
		ids := map[string]bool{}
		visit(schema, func(key, text string) {
			if key == "$id" {
				ids[text] = true
			}
		})
		var outside string
		visit(schema, func(key, text string) {
			document, _, _ := strings.Cut(text, "#")
			isRef := key == "$ref" || key == "$dynamicRef"
			isDialect := key == "$schema" && !strings.Contains(text, "json-schema.org/")
			if (isRef || isDialect) && document != "" && !ids[document] && outside == "" {
				outside = text
			}
		})
		if outside != "" {
			return fmt.Errorf("chart %s: values.schema.json refers to %q, which is not in it and is not fetched: put it into the schema", c.Name(), outside)
		}
	}
	for _, sub := range c.Dependencies() {
		if err := schemas(sub); err != nil {
			return err
		}
	}
	return nil
}

// visit calls f with each text in v and its key.
func visit(v any, f func(key, text string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			if text, ok := v[key].(string); ok {
				f(key, text)
			}
			visit(v[key], f)
		}
	case []any:
		for _, element := range v {
			visit(element, f)
		}
	}
}
