package render

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// lastBetaOn is the last minor version in which a new beta API was served by
// default (KEP-3136).
const lastBetaOn = 23

// others are what the scheme of the client library does not have, by the minor
// version that serves it first. Those of 1.37 are what `kubectl api-resources` named
// on a cluster.
var others = map[int][]string{
	0: {
		"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1/CustomResourceDefinition", "apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService",
	},
	37: {
		"certificates.k8s.io/v1/ClusterTrustBundle", "certificates.k8s.io/v1/PodCertificateRequest", "resource.k8s.io/v1/DeviceTaintRule",
		"storagemigration.k8s.io/v1", "storagemigration.k8s.io/v1/StorageVersionMigration",
	},
}

// introduced and removed are what the generator of prerelease lifecycles gives the
// types of an API (k8s.io/api).
type (
	introduced interface {
		APILifecycleIntroduced() (major, minor int)
	}
	removed interface {
		APILifecycleRemoved() (major, minor int)
	}
)

// served returns the API versions that a minor version of Kubernetes serves by
// default, each as group/version and, with a kind, as group/version/Kind: the types of
// the client library, by their lifecycles, and others.
func served(minor int) []string {
	found := map[string]bool{}
	for kind, goType := range scheme.Scheme.AllKnownTypes() {
		version := kind.GroupVersion()
		if kind.Version == runtime.APIVersionInternal || !isObject(goType) || !serves(version.String(), goType, minor) {
			continue
		}
		found[version.String()] = true
		found[version.String()+"/"+kind.Kind] = true
	}
	for since, versions := range others {
		for _, version := range versions {
			if minor >= since {
				found[version] = true
			}
		}
	}
	all := slices.Collect(maps.Keys(found))
	slices.Sort(all)
	return all
}

// isObject says whether a type is that of an object, and not of a list or of
// options.
func isObject(goType reflect.Type) bool {
	_, ok := reflect.New(goType).Interface().(metav1.Object)
	return ok
}

// serves says whether a minor version of Kubernetes serves a type by default.
func serves(version string, goType reflect.Type, minor int) bool {
	value := reflect.New(goType).Interface()
	since, until := 0, 0
	if v, ok := value.(introduced); ok {
		_, since = v.APILifecycleIntroduced()
	}
	if v, ok := value.(removed); ok {
		_, until = v.APILifecycleRemoved()
	}
	switch {
	case strings.Contains(version, "alpha"), since > minor, until > 0 && minor >= until:
		return false
	case strings.Contains(version, "beta"):
		// New versions of groups that were on are on as well.
		return since <= lastBetaOn || strings.HasPrefix(version, "flowcontrol.apiserver.k8s.io/")
	}
	return true
}
