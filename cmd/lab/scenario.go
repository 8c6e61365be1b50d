package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

// scenarioFlags are the flags of every command that reads a scenario.
type scenarioFlags struct {
	vars     []string
	varFiles []string
	json     bool
	// noValues says that variables need none.
	noValues bool
	// clusterSets are the sets of clusters that there are; nil stands for those
	// that come with the program.
	clusterSets []schema.ClusterSet
	// rendered is what charts were rendered to when the scenario ran.
	rendered []value.Rendering
}

func (f *scenarioFlags) add(a *app, cmd *cobra.Command, jsonText string) {
	f.addValues(a, cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, jsonText)
}

// addValues adds the flags for the values of variables.
func (f *scenarioFlags) addValues(a *app, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.vars, "var", nil, "set a variable of the scenario: `NAME=VALUE` (repeatable)")
	cmd.Flags().StringArrayVar(&f.varFiles, "var-file", nil, "set variables from a `FILE` of NAME = VALUE lines (repeatable)")
	completeFlag(cmd, "var", a.completeVariable)
}

// options are what the flags and the environment give to a scenario.
func (a *app) options(f scenarioFlags) (dsl.Options, error) {
	options := dsl.Options{VarFiles: f.varFiles, Vars: map[string]string{}, Env: a.env, NoValues: f.noValues, ClusterSets: f.clusterSets, Rendered: f.rendered,
		Providers: wiring.Language(wiring.Providers())}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return options, usage("--var %s: write NAME=VALUE, such as --var image=busybox:1.36", v)
		}
		options.Vars[name] = value
	}
	return options, nil
}

// load reads the scenario that the argument names: a file, a folder, or a lab
// of the catalog.
func (a *app) load(arg string, f scenarioFlags) (*dsl.Module, diag.List, error) {
	options, err := a.options(f)
	if err != nil {
		return nil, nil, err
	}
	m, problems, err := validate.Load(arg, options)
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	a.tellOfCopy(arg)
	return m, problems, nil
}

// tellOfCopy says that a lab is the catalog's own where its sources lie here as
// well: what is changed in them changes nothing in the program.
func (a *app) tellOfCopy(arg string) {
	copied := filepath.Join("labs", "catalog", arg)
	if _, err := os.Stat(arg); err == nil {
		return
	}
	if _, err := os.Stat(copied); err == nil {
		fmt.Fprintf(a.stderr, "%s: the lab as it came with the program; the folder %s is another copy: name that to use it\n", arg, copied)
	}
}

// tell prints diagnostics, and says whether there are errors among them.
func (a *app) tell(w io.Writer, problems diag.List) bool {
	width, _ := terminal(w)
	if err := diag.WriteText(w, problems, diag.Style{Color: a.color(w), Width: width}); err != nil {
		fmt.Fprintln(a.stderr, "lab:", err)
	}
	return problems.HasErrors()
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func (a *app) validateCommand() *cobra.Command {
	f := scenarioFlags{noValues: true}
	cmd := &cobra.Command{
		Use: "validate SCENARIO", Short: "Check a scenario without a cluster", SuggestFor: []string{"check", "lint"},
		Long: `Checks a scenario without a cluster and without a network: its syntax,
references and types, the feature gates of each Kubernetes version, and the
manifests that it applies. Variables need no values.`,
		Example: "  lab validate scenario.hcl\n  lab validate job-sidecar --json",
		Args:    oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			_, problems, err := a.load(args[0], f)
			if err != nil {
				return err
			}
			if f.json {
				if err := writeJSON(a.stdout, validation(problems)); err != nil {
					return err
				}
			} else if !a.tell(a.stderr, problems) {
				fmt.Fprintf(a.stdout, "%s is valid.\n", args[0])
			}
			if problems.HasErrors() {
				return silent(exitUsage)
			}
			return nil
		},
	}
	f.add(a, cmd, "print the diagnostics as JSON")
	return cmd
}

// validated is the JSON form of `lab validate`.
type validated struct {
	Version     int       `json:"version"`
	Valid       bool      `json:"valid"`
	Diagnostics diag.List `json:"diagnostics"`
}

func validation(problems diag.List) validated {
	if problems == nil {
		problems = diag.List{}
	}
	return validated{Version: 1, Valid: !problems.HasErrors(), Diagnostics: problems}
}
