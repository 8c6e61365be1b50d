package clusters

// Need is something that is done to the objects of a kind in the scenarios' own
// namespaces, or to the kind's objects where it belongs to none.
type Need struct {
	APIVersion string `json:"api_version"`
	Kind       string `json:"kind"`
	// Subresource is empty for the object itself, or such as "exec".
	Subresource string `json:"subresource,omitempty"`
	// Verbs are those of the API: get, list, watch, create, patch, delete …
	Verbs []string `json:"verbs"`
}
