// Package step says what the steps of a scenario ask for and what comes of
// them. Each verb has a package of its own below it.
package step

import "github.com/kind-lab/lab/collectors"

// Apply asks for objects to be created or changed.
type Apply struct {
	// Namespace is where objects go that name none.
	Namespace string
	// Manifests are strings of YAML or JSON documents.
	Manifests []Manifest
	// FieldValidation is "Strict", "Warn" or "Ignore".
	FieldValidation string
}

// Manifest is the text of one or more documents.
type Manifest struct {
	// Name says where it is from, for messages.
	Name string
	Text string
}

// Applied is what came of an Apply.
type Applied struct {
	// Objects are those that were created or changed, in order.
	Objects []collectors.Object
	// Actions say what was done to each: "created", "configured",
	// "unchanged".
	Actions []string
	// Warnings are those that the API server sent, each once.
	Warnings []string
}

// ManifestError is a manifest that cannot be read.
type ManifestError struct {
	Manifest string
	// Document counts from 1.
	Document int
	Err      error
}

// RefusedError is the API server's refusal of an object.
type RefusedError struct {
	Object collectors.Object
	// Code is the HTTP status, Reason the API's, such as "BadRequest".
	Code   int
	Reason string
	// Message is what the API server said.
	Message string
}
