package existing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	"github.com/kind-lab/lab/clusters"
)

// right is something that an account may do, or not.
type right struct {
	group, resource, subresource, verb string
	// namespace is where; empty means everywhere, or for what belongs to no
	// namespace.
	namespace string
	// global says that the resource belongs to no namespace.
	global bool
}

// what is the resource as roles name it.
func (r right) what() string {
	name := r.resource
	if r.subresource != "" {
		name += "/" + r.subresource
	}
	return name
}

func (r right) where() string {
	switch {
	case r.global:
		return ""
	case r.namespace == "":
		return " in all namespaces"
	}
	return " in namespace " + r.namespace
}

// RightsSuffix ends the name of the file, beside the kubeconfig that a cluster
// would have had, with the roles that its account lacks.
const RightsSuffix = "-rights.yaml"

// RightsError says which rights an account lacks.
type RightsError struct {
	// Context is the kubeconfig's, Account who it is, as far as that is known.
	Context, Account string
	// Missing are the rights, such as "create namespaces" and "list,watch pods
	// in all namespaces".
	Missing []string
	// Grant is what an administrator can apply, YAML: roles with all that is
	// needed, bound to the account. File is where it was written; empty where it
	// could not be.
	Grant, File string
}

// Error lists what is missing, and how it is granted.
func (e *RightsError) Error() string {
	text := fmt.Sprintf("%s may not do all that is needed on context %q; missing: %s\nSomebody who administers the cluster can grant all that is needed: kubectl apply -f ",
		e.Account, e.Context, strings.Join(e.Missing, "; "))
	if e.File == "" {
		return text + "- <<'EOF'\n" + e.Grant + "EOF"
	}
	return text + e.File
}

// needed are the rights without which nothing can be run.
func (c *connection) needed() ([]right, error) {
	within := c.setting(settingNamespace)
	var all []right
	add := func(group, resource string, verbs ...string) {
		resource, subresource, _ := strings.Cut(resource, "/")
		for _, verb := range verbs {
			all = append(all, right{group: group, resource: resource, subresource: subresource, verb: verb, namespace: within})
		}
	}
	if within == "" {
		for _, verb := range []string{"create", "delete", "get"} {
			all = append(all, right{resource: "namespaces", verb: verb, global: true})
		}
		add("", "serviceaccounts", "list", "watch")
		add("", "pods", "deletecollection")
	}
	add("", "pods", "get", "list", "watch", "delete")
	add("", "pods/log", "get")
	if c.setting(settingNodeAccess) != "" {
		add("apps", "daemonsets", "create", "get")
		add("", "pods/exec", "create")
	}
	add("batch", "jobs", "list", "watch")
	add("", "events", "list", "watch")
	for _, verb := range []string{"get", "create", "update", "delete"} {
		all = append(all, right{group: "coordination.k8s.io", resource: "leases", verb: verb, namespace: leases(within)})
	}
	needs, err := c.needs()
	for _, r := range needs {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all, err
}

// leases is the namespace of the Lease.
func leases(within string) string {
	if within == "" {
		return leaseNamespace
	}
	return within
}

// needs are the rights to what the scenarios do. A kind that the cluster does
// not serve is left out: the step that asks for it will say so.
func (c *connection) needs() ([]right, error) {
	within := c.setting(settingNamespace)
	if len(c.spec.Needs) == 0 {
		return nil, nil
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.client.Discovery()))
	var all []right
	for _, need := range c.spec.Needs {
		kind := schema.FromAPIVersionAndKind(need.APIVersion, need.Kind)
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking for what the cluster calls a %s: %w", need.Kind, err)
		}
		global := mapping.Scope.Name() == meta.RESTScopeNameRoot
		for _, verb := range verbs(need, within) {
			if global && verb != "list" && verb != "watch" {
				continue // the step is refused: it is outside of the run's namespaces
			}
			r := right{group: mapping.Resource.Group, resource: mapping.Resource.Resource, subresource: need.Subresource, verb: verb, namespace: within}
			if global {
				r.global, r.namespace = true, ""
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// verbs are those of a need; what is made in a namespace that is named must be
// found and deleted there.
func verbs(need clusters.Need, within string) []string {
	all := slices.Clone(need.Verbs)
	if within == "" || need.Subresource != "" || !slices.Contains(all, "create") {
		return all
	}
	for _, verb := range []string{"list", "delete"} {
		if !slices.Contains(all, verb) {
			all = append(all, verb)
		}
	}
	return all
}

// rights checks that the account has all the rights that are needed, and says
// whether it may see the nodes, too. The error is a *RightsError where it lacks
// some.
func (c *connection) rights(ctx context.Context) (nodes bool, err error) {
	needed, err := c.needed()
	if err != nil {
		return false, err
	}
	optional := []right{{resource: "nodes", verb: "list", global: true}, {resource: "nodes", verb: "watch", global: true}}
	lacks, err := c.lacking(ctx, append(slices.Clone(needed), optional...))
	if err != nil {
		return false, err
	}
	nodes = !slices.ContainsFunc(optional, func(r right) bool { return slices.Contains(lacks, r) })
	lacks = slices.DeleteFunc(lacks, func(r right) bool { return slices.Contains(optional, r) && !slices.Contains(needed, r) })
	if len(lacks) == 0 {
		return nodes, nil
	}
	who := c.account(ctx)
	if c.setting(settingNamespace) == "" {
		needed = append(needed, optional...) // what holds everywhere is granted anyway
	}
	lacking := &RightsError{Context: c.reach.context, Account: who.String(), Missing: listed(lacks), Grant: grant(who, needed)}
	if file := strings.TrimSuffix(c.kubeconfig, ".yaml") + RightsSuffix; os.MkdirAll(filepath.Dir(file), 0o700) == nil && os.WriteFile(file, []byte(lacking.Grant), 0o600) == nil {
		lacking.File = file
	}
	return false, lacking
}

// atOnce is how many rights are asked for at once.
const atOnce = 8

// lacking asks the API server which of the rights the account has not.
func (c *connection) lacking(ctx context.Context, all []right) ([]right, error) {
	var mu sync.Mutex
	denied := map[right]bool{}
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, r := range all {
		group.Go(func() error {
			review, err := c.client.AuthorizationV1().SelfSubjectAccessReviews().Create(asking, &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: r.namespace, Verb: r.verb, Group: r.group, Resource: r.resource, Subresource: r.subresource,
				}},
			}, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("asking whether the account may %s %s: %w", r.verb, r.what(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			denied[r] = !review.Status.Allowed
			return nil
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(slices.Clone(all), func(r right) bool { return !denied[r] }), err
}

// listed writes rights, those to one resource together.
func listed(all []right) []string {
	var order []right
	verbs := map[right][]string{}
	for _, r := range all {
		of := r
		of.verb = ""
		if verbs[of] == nil {
			order = append(order, of)
		}
		verbs[of] = append(verbs[of], r.verb)
	}
	var lines []string
	for _, of := range order {
		lines = append(lines, strings.Join(verbs[of], ",")+" "+of.what()+of.where())
	}
	return lines
}

// account is who a kubeconfig's credentials stand for; empty where the cluster
// does not say.
type account string

// String names the account for people.
func (a account) String() string {
	if a == "" {
		return "the account"
	}
	return fmt.Sprintf("the account %q", string(a))
}

// account asks who the credentials stand for; older versions cannot say.
func (c *connection) account(ctx context.Context) account {
	review, err := c.client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return ""
	}
	return account(review.Status.UserInfo.Username)
}
