package value

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Secrets returns the strings within the values that are sensitive, each once,
// the longest first. Those of less than four characters are left out: they
// would be found by chance.
func Secrets(values ...cty.Value) []string {
	var secrets []string
	for _, v := range values {
		secrets = append(secrets, secretsIn(orEmpty(v), false)...)
	}
	slices.SortFunc(secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(secrets)
}

// Redact takes secrets out of a text.
func Redact(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "(sensitive)")
	}
	return text
}
