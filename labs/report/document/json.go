package document

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes a document as JSON, as Schema describes it.
func WriteJSON(w io.Writer, d Document) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("writing the document as JSON: %w", err)
	}
	return nil
}
