package plan

import (
	"fmt"
	"hash/crc32"
	"strings"
	"unicode"
)

// The lengths that names may have.
const (
	// maxNamespace is the longest name of a namespace, an RFC 1123 label.
	maxNamespace = 63
	// maxHost leaves room in a host name for what comes before and after the
	// cluster's name: "lab-abcdef-" and "-external-load-balancer".
	maxHost = 29
	// maxFolder is far from what file systems refuse, and can still be read.
	maxFolder = 100
)

// namespacePrefix begins the name of every run's namespace.
const namespacePrefix = "lab-"

// AnyNamespace stands for a run's namespace while there is no run.
const AnyNamespace = namespacePrefix + "run"

// names gives everything a name that is allowed where it is used. They are
// made of all scenarios and clusters of the module, so that they do not depend
// on what is chosen of it.
type names struct {
	// namespaces and runs (folders) are by a scenario's title, hosts and
	// clusters (folders) by a cluster's name.
	namespaces, runs, hosts, clusters map[string]string
}

func newNames(titles, clusters []string) names {
	return names{
		namespaces: distinct(titles, label, maxNamespace-len(namespacePrefix)),
		runs:       distinct(titles, folder, maxFolder),
		hosts:      distinct(clusters, label, maxHost),
		clusters:   distinct(clusters, folder, maxFolder),
	}
}

// distinct shapes names. If several are the same, or one is too long, a
// sum of the whole name keeps it apart.
func distinct(all []string, shape func(string) string, longest int) map[string]string {
	const sum = len("-00000000")
	users := map[string]map[string]bool{}
	for _, name := range all {
		shaped := strings.ToLower(shape(name)) // some file systems do not tell the case
		if users[shaped] == nil {
			users[shaped] = map[string]bool{}
		}
		users[shaped][name] = true
	}
	out := make(map[string]string, len(all))
	for _, name := range all {
		shaped := shape(name)
		if len(users[strings.ToLower(shaped)]) == 1 && shaped != "" && len(shaped) <= longest {
			out[name] = shaped
			continue
		}
		cut := strings.Trim(shaped[:min(len(shaped), longest-sum)], "-.")
		out[name] = strings.TrimPrefix(fmt.Sprintf("%s-%08x", cut, crc32.ChecksumIEEE([]byte(name))), "-")
	}
	return out
}

// label is a name as host names and namespaces may be: lower case letters,
// digits, and single dashes between them.
func label(name string) string {
	return dashed(strings.ToLower(name), func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' })
}

// folder is a name as a folder may be called everywhere.
func folder(name string) string {
	return dashed(name, func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
	})
}

// dashed writes a dash for each stretch of characters that are not allowed.
func dashed(name string, allowed func(rune) bool) string {
	var b strings.Builder
	apart := false
	for _, r := range name {
		if !allowed(r) {
			apart = true
			continue
		}
		if apart && b.Len() > 0 {
			b.WriteByte('-')
		}
		apart = false
		b.WriteRune(r)
	}
	return strings.Trim(b.String(), "-.")
}
