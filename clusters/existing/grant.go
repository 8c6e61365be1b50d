package existing

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// grant is YAML of the roles that have the rights, bound to the account: a
// ClusterRole for those that hold everywhere, and a Role for each namespace.
func grant(who account, all []right) string {
	by := map[string][]right{}
	var namespaces []string
	for _, r := range all {
		if !slices.Contains(namespaces, r.namespace) {
			namespaces = append(namespaces, r.namespace)
		}
		by[r.namespace] = append(by[r.namespace], r)
	}
	slices.Sort(namespaces)
	var documents []string
	for _, namespace := range namespaces {
		for _, object := range bound(who, namespace, rules(by[namespace])) {
			text, err := yaml.Marshal(object)
			if err != nil {
				text = []byte("# " + err.Error() + "\n")
			}
			documents = append(documents, string(text))
		}
	}
	return strings.Join(documents, "---\n")
}

// bound are the role and its binding; of the whole cluster where the namespace
// is empty.
func bound(who account, namespace string, rules []rbacv1.PolicyRule) []any {
	const group = "rbac.authorization.k8s.io"
	object := metav1.ObjectMeta{Name: "lab-runs", Namespace: namespace}
	kind := "Role"
	if namespace == "" {
		kind = "ClusterRole"
	}
	of := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{Kind: kind, APIVersion: group + "/v1"} }
	ref := rbacv1.RoleRef{APIGroup: group, Kind: kind, Name: object.Name}
	subjects := []rbacv1.Subject{who.subject()}
	if namespace == "" {
		return []any{
			rbacv1.ClusterRole{TypeMeta: of(kind), ObjectMeta: object, Rules: rules},
			rbacv1.ClusterRoleBinding{TypeMeta: of(kind + "Binding"), ObjectMeta: object, RoleRef: ref, Subjects: subjects},
		}
	}
	return []any{
		rbacv1.Role{TypeMeta: of(kind), ObjectMeta: object, Rules: rules},
		rbacv1.RoleBinding{TypeMeta: of(kind + "Binding"), ObjectMeta: object, RoleRef: ref, Subjects: subjects},
	}
}

// subject is the account as a binding names it.
func (a account) subject() rbacv1.Subject {
	if rest, ok := strings.CutPrefix(string(a), "system:serviceaccount:"); ok {
		if namespace, name, ok := strings.Cut(rest, ":"); ok {
			return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
		}
	}
	return rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: cmp.Or(string(a), "NAME-OF-THE-ACCOUNT")}
}

// rules are the rights as a role has them, those to one resource in one rule.
func rules(all []right) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, r := range all {
		i := slices.IndexFunc(out, func(p rbacv1.PolicyRule) bool { return p.APIGroups[0] == r.group && p.Resources[0] == r.what() })
		if i < 0 {
			out = append(out, rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.what()}})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].Verbs, r.verb) {
			out[i].Verbs = append(out[i].Verbs, r.verb)
		}
	}
	return out
}
