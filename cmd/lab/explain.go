package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/catalog"
)

func (a *app) explainCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [NAME]",
		Short: "Explain a block, an argument, a value or a function of the language",
		Long: `Explains what something in a scenario file means: a block (expect, cluster), an
argument (expect.within), a value (pod, pod.container.exit_code, target) or a
function (logged), or a set of clusters (standard). Without a NAME it lists them
all.`,
		Example: "  lab explain expect\n  lab explain expect.within\n  lab explain pod.container.exit_code\n  lab explain logged\n  lab explain cluster_sets",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("lab explain takes one name, such as expect.within%s", got(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schema.Names(a.verbs.Language(), catalog.ClusterSets()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			e := &explainer{w: a.stdout, width: a.textWidth(), language: a.verbs.Language()}
			if len(args) == 0 {
				if asJSON {
					return writeJSON(a.stdout, a.schemaDocument())
				}
				e.overview()
				return nil
			}
			topics := schema.Lookup(e.language, args[0], catalog.ClusterSets()...)
			if len(topics) == 0 {
				return usage("nothing in the language is called %q.%s\nRun `lab explain` to list everything", args[0], schema.Suggest(e.language, args[0], catalog.ClusterSets()...))
			}
			if asJSON {
				return writeJSON(a.stdout, explained(topics))
			}
			for i, topic := range topics {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				e.topic(topic)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// textWidth is how wide running text may be: the terminal's width, between
// bounds in which it can be read.
func (a *app) textWidth() int {
	width, ok := terminal(a.stdout)
	if !ok || width <= 0 {
		return 80
	}
	return min(max(width, 40), 100)
}

// explainer writes what topics mean.
type explainer struct {
	w        io.Writer
	width    int
	language *schema.Block
}

func (e *explainer) text(indent, s string) {
	for _, line := range strings.Split(ansi.Wordwrap(s, e.width-len(indent), ""), "\n") {
		fmt.Fprintln(e.w, strings.TrimRight(indent+line, " "))
	}
}

func (e *explainer) overview() {
	fmt.Fprintln(e.w, "BLOCKS")
	e.language.Walk(func(path []*schema.Block, b *schema.Block) {
		if len(path) > 0 && path[len(path)-1].Type == "finally" {
			return
		}
		e.row(strings.Repeat("  ", len(path)+1)+b.Type, b.Summary)
	})
	fmt.Fprintln(e.w, "\nVALUES")
	for _, v := range schema.Values() {
		e.row("  "+v.Name, v.Doc)
	}
	fmt.Fprintln(e.w, "\nFUNCTIONS")
	for _, f := range schema.Functions() {
		e.row("  "+f.Name, f.Doc)
	}
	fmt.Fprintln(e.w, "\nCLUSTER SETS")
	for _, s := range catalog.ClusterSets() {
		e.row("  "+s.Name, s.Doc)
	}
	fmt.Fprintln(e.w, "\nMore: lab explain NAME, such as `lab explain expect` or `lab explain expect.within`.")
}

// row writes a name and, as far as it fits on the line, what it is.
func (e *explainer) row(name, doc string) {
	const column = 26
	fmt.Fprintln(e.w, ansi.Truncate(fmt.Sprintf("%-*s %s", column, name, doc), e.width, "…"))
}

func (e *explainer) topic(t schema.Topic) {
	switch {
	case t.Block != nil:
		e.block(t.Path, t.Block)
	case t.Argument != nil:
		fmt.Fprintf(e.w, "ARGUMENT  %s\n\n", t.Path)
		e.argument("", t.Argument)
		if t.Argument.Name == schema.ClusterSetsArgument {
			e.clusterSets()
		}
	case t.Value != nil:
		e.value(t.Value)
	case t.Attribute != nil:
		fmt.Fprintf(e.w, "ATTRIBUTE  %s  (%s)\n\n", t.Path, t.Attribute.Type)
		e.text("", t.Attribute.Doc)
		if below := t.Attribute.Below(); below != nil {
			fmt.Fprintf(e.w, "\nSee also: lab explain %s\n", below.Name)
		}
	case t.Function != nil:
		fmt.Fprintf(e.w, "FUNCTION  %s\n\n", t.Function.Signature)
		e.text("", t.Function.Doc)
	case t.ClusterSet != nil:
		fmt.Fprintf(e.w, "CLUSTER SET  %s\n\n", t.ClusterSet.Name)
		e.clusterSet(*t.ClusterSet)
	}
}

// clusterSets writes the sets of clusters that there are.
func (e *explainer) clusterSets() {
	for _, s := range catalog.ClusterSets() {
		fmt.Fprintf(e.w, "\nCLUSTER SET  %s\n\n", s.Name)
		e.clusterSet(s)
	}
}

// clusterSet writes what a set of clusters is for, and a line for each cluster.
func (e *explainer) clusterSet(s schema.ClusterSet) {
	e.text("", s.Doc)
	fmt.Fprintln(e.w, "\nCLUSTERS")
	table := tabwriter.NewWriter(e.w, 0, 0, 2, ' ', 0)
	for _, c := range s.Clusters {
		fmt.Fprintln(table, strings.TrimRight("  "+c.Name+"\tKubernetes "+c.Kubernetes+"\t"+strings.Join(clusters.FeatureGates(c.FeatureGates).List(), " "), "\t"))
	}
	_ = table.Flush() // what cannot be written to the terminal is seen there
}

func (e *explainer) block(path string, b *schema.Block) {
	fmt.Fprintf(e.w, "BLOCK  %s\n\n", path)
	e.text("", b.Summary)
	if b.Doc != "" {
		fmt.Fprintln(e.w)
		e.text("", b.Doc)
	}
	if b.Example != "" {
		fmt.Fprintf(e.w, "\n  %s\n", strings.ReplaceAll(b.Example, "\n", "\n  "))
	}
	if len(b.Arguments) > 0 {
		fmt.Fprintln(e.w, "\nARGUMENTS")
		for i := range b.Arguments {
			arg := &b.Arguments[i]
			more, doc := "", arg.Doc
			if arg.Required {
				more = ", required"
			}
			if arg.Default != "" {
				more += ", default " + arg.Default
			}
			if len(arg.Values) > 0 {
				doc += " One of " + strings.Join(arg.Values, ", ") + "."
			}
			fmt.Fprintf(e.w, "  %s  (%s%s)\n", arg.Name, arg.Type, more)
			e.text("      ", doc)
		}
	}
	if len(b.Blocks) > 0 {
		fmt.Fprintln(e.w, "\nBLOCKS")
		for _, below := range b.Blocks {
			e.row("  "+below.Type, below.Summary)
		}
	}
}

func (e *explainer) argument(indent string, a *schema.Argument) {
	e.text(indent, a.Doc)
	fmt.Fprintf(e.w, "\n%stype      %s\n", indent, a.Type)
	if a.Required {
		fmt.Fprintf(e.w, "%srequired  yes\n", indent)
	}
	if a.Default != "" {
		fmt.Fprintf(e.w, "%sdefault   %s\n", indent, a.Default)
	}
	if len(a.Values) > 0 {
		fmt.Fprintf(e.w, "%sone of    %s\n", indent, strings.Join(a.Values, ", "))
	}
	fmt.Fprintf(e.w, "%sknown     %s\n", indent, map[schema.Stage]string{
		schema.Load: "before the run", schema.Begin: "when the step begins", schema.Judge: "at every observation",
	}[a.Stage])
}

func (e *explainer) value(v *schema.Value) {
	fmt.Fprintf(e.w, "VALUE  %s\n\n", v.Reference)
	e.text("", v.Doc)
	if len(v.Attributes) == 0 {
		return
	}
	fmt.Fprintln(e.w, "\nATTRIBUTES")
	for i := range v.Attributes {
		fmt.Fprintf(e.w, "  %s  (%s)\n", v.Attributes[i].Name, v.Attributes[i].Type)
		e.text("      ", v.Attributes[i].Doc)
	}
}

// explanation is the JSON form of what a topic means.
type explanation struct {
	Path       string             `json:"path"`
	Block      *schema.Block      `json:"block,omitempty"`
	Argument   *schema.Argument   `json:"argument,omitempty"`
	Value      *schema.Value      `json:"value,omitempty"`
	Attribute  *schema.Attribute  `json:"attribute,omitempty"`
	Function   *schema.Function   `json:"function,omitempty"`
	ClusterSet *schema.ClusterSet `json:"cluster_set,omitempty"`
}

func explained(topics []schema.Topic) []explanation {
	var all []explanation
	for _, t := range topics {
		all = append(all, explanation(t))
	}
	return all
}
