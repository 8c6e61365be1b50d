// Package render turns charts and kustomizations into manifests.
//
// It reads the files that it is given and returns YAML documents. It reaches no
// network and no cluster, and runs no program: what would need one is an error.
// It is the only package that imports Helm and Kustomize.
package render
