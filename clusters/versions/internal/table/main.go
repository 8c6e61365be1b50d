// Command table prints what the Makefile needs of the table of versions: the
// versions that the end-to-end tests run on (e2e), those that `make test-labs`
// runs on (labs), or its clusters, with commas between them (clusters).
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/kind-lab/lab/clusters/versions"
)

func main() {
	what := strings.Join(os.Args[1:], " ")
	line, ok := of(versions.All(), what)
	if !ok {
		fmt.Fprintf(os.Stderr, "want e2e, labs or clusters; got %q\n", what)
		os.Exit(2)
	}
	fmt.Println(line)
}

// of is what is asked for of some versions; false if there is no such thing.
func of(all []versions.Version, what string) (string, bool) {
	var endToEnd, labs, clusters []string
	for _, v := range all {
		if v.Tests.EndToEnd {
			endToEnd = append(endToEnd, v.Line())
		}
		if !v.Tests.Labs {
			continue
		}
		labs = append(labs, v.Line())
		for _, c := range v.Standard {
			clusters = append(clusters, c.Name)
		}
	}
	switch what {
	case "e2e":
		return strings.Join(endToEnd, " "), true
	case "labs":
		return strings.Join(labs, " "), true
	case "clusters":
		return strings.Join(clusters, ","), true
	}
	return "", false
}
