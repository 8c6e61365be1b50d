package schema

import "fmt"

// provider is what the reference says of a provider of clusters.
type provider struct {
	name string
	// arguments are those of a cluster's block that are this provider's own.
	arguments []Argument
}

// providers has a row for each provider that the reference describes. A provider
// with arguments of its own has a file for them: provider_NAME.go.
func providers() []provider {
	return []provider{
		{name: "kind"},
		{name: "existing", arguments: existingArguments()},
	}
}

// providerArguments are the argument that names the provider, and those that
// belong to one provider.
func providerArguments() []Argument {
	named := Argument{Name: "provider", Type: "string", Default: `"kind"`, Stage: Load,
		Doc: "Where the cluster comes from: \"kind\" creates it, \"existing\" uses a cluster that exists already."}
	var own []Argument
	for _, p := range providers() {
		named.Values = append(named.Values, p.name)
		for _, a := range p.arguments {
			a.Provider, a.Doc = p.name, lowered(fmt.Sprintf("With the provider %q: ", p.name), a.Doc)
			own = append(own, a)
		}
	}
	return append([]Argument{named}, own...)
}

// lowered puts words before a sentence.
func lowered(before, sentence string) string {
	return before + string(sentence[0]-'A'+'a') + sentence[1:]
}
