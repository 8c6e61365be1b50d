package step

import "fmt"

// Error names the manifest, the document and what is wrong with it.
func (e *ManifestError) Error() string {
	return fmt.Sprintf("%s, document %d: %v", e.Manifest, e.Document, e.Err)
}

// Unwrap returns what is wrong.
func (e *ManifestError) Unwrap() error { return e.Err }

// Error names the object and what the API server said.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the API server refused %s %q (%d %s): %s", e.Object.Kind, e.Object.Name, e.Code, e.Reason, e.Message)
}
