// Package engine finds the container engine that clusters run in, examines
// whether it can run them, and brings one up on a bare host.
//
// Detect finds the engine by asking it, never by looking at the PATH alone: a
// client without a server is the usual state of a build machine. Host reads
// the facts that every run needs, in a fraction of a second. Examine is the
// doctor: it tries what a cluster's nodes need, one thing after the other, and
// names for each what was seen, the cause and the remedy. PlanUp and Up bring
// docker up where nothing answers.
//
// Two hidden modes belong to it, which HiddenMode recognises by the name that
// the executable was called by, before any command line is read: the OCI
// runtime for hosts that lack a capability (see package ociruntime), and the
// probe, which is the executable itself in a container of its own, so that
// the doctor needs neither a registry nor an image.
package engine
