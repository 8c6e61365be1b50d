package document

import (
	"fmt"
	"regexp"
)

// generated is the end that controllers give to pods' names: five characters
// of the alphabet of k8s.io/apimachinery/pkg/util/rand, for a Deployment's
// pods after the hash of their template, in the same alphabet.
const generated = `(-[bcdf-hj-np-tv-xz2456789]{6,10})?-[bcdf-hj-np-tv-xz2456789]{5}$`

// PodTitles are pods' names without what is generated of them; those that come
// to the same are numbered.
func PodTitles(names []string) []string {
	suffix := regexp.MustCompile(generated)
	titles, count := make([]string, len(names)), map[string]int{}
	for i, name := range names {
		title := suffix.ReplaceAllString(name, "-*")
		count[title]++
		if n := count[title]; n > 1 {
			title = fmt.Sprintf("%s (no. %d)", title, n)
		}
		titles[i] = title
	}
	return titles
}
