package verbs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// TestNothingElseNamesAVerb fails if a package other than a verb's own treats its
// action by its type: what is to be known of a verb is in its Forecast, its
// Prepared or its form.
func TestNothingElseNamesAVerb(t *testing.T) {
	var types []string
	for _, name := range action.Default().Names() {
		if _, carriedOut := verbs.Default().Verb(name); carriedOut {
			types = append(types, strings.ToUpper(name[:1])+name[1:])
		}
	}
	named := regexp.MustCompile(`\baction\.(` + strings.Join(types, "|") + `)\b`)
	root := filepath.Join("..", "..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		switch inside = filepath.ToSlash(inside); {
		case err != nil:
			return err
		case e.IsDir() && (inside == "dsl/action" || inside == "labs/step" || strings.HasPrefix(inside, ".") && inside != "."):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(inside, ".go") || strings.HasSuffix(inside, "_test.go"):
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if found := named.Find(text); found != nil {
			t.Errorf("%s names %s", inside, found)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files: %v", files, err)
	}
}
