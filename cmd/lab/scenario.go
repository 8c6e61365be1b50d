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
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/validate"
)

// scenarioFlags are the flags of every command that reads a scenario.
type scenarioFlags struct {
	vars     []string
	varFiles []string
	json     bool
	// noValues says that variables need none.
	noValues bool
}

func (f *scenarioFlags) add(cmd *cobra.Command, jsonText string) {
	f.addValues(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, jsonText)
}

// addValues adds the flags for the values of variables.
func (f *scenarioFlags) addValues(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.vars, "var", nil, "set a variable of the scenario: -var NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.varFiles, "var-file", nil, "set variables from a file of NAME = VALUE lines (repeatable)")
}

// options are what the flags and the environment give to a scenario.
func (a *app) options(f scenarioFlags) (dsl.Options, error) {
	options := dsl.Options{VarFiles: f.varFiles, Vars: map[string]string{}, Env: a.env, NoValues: f.noValues}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return options, usage("-var %q: want NAME=VALUE", v)
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

// completeScenario offers files, folders and the catalog's labs.
func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := catalog.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveDefault
}

// oneScenario checks the arguments of a command that reads a scenario.
func oneScenario(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return usage("want one scenario: a file, a folder, or a lab of the catalog (`lab list` shows them); got %d arguments", len(args))
}

func (a *app) validateCommand() *cobra.Command {
	f := scenarioFlags{noValues: true}
	cmd := &cobra.Command{
		Use: "validate SCENARIO", Short: "Check a scenario without a cluster", Args: oneScenario, ValidArgsFunction: completeScenario,
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
	f.add(cmd, "print the diagnostics as JSON")
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
