package labtest

import (
	"context"
	"os"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/wiring"
)

// Option says how a scenario is to be run.
type Option func(*settings)

// settings are what the options result in.
type settings struct {
	vars                map[string]string
	varFiles            []string
	clusters, scenarios []string
	fresh, keepBad      bool
	hostExec, logs      bool
	evidence            string
	open                func(context.Context) (*wiring.Parts, error)
}

func newSettings(options []Option) settings {
	s := settings{vars: map[string]string{}, open: open}
	for _, o := range options {
		o(&s)
	}
	return s
}

// language are the settings that reading a scenario needs.
func (s settings) language() dsl.Options {
	return dsl.Options{Vars: s.vars, VarFiles: s.varFiles, Env: os.LookupEnv, Providers: wiring.Language(wiring.Providers())}
}

// Var sets a variable of the scenario, as `lab run --var` does.
func Var(name, value string) Option { return func(s *settings) { s.vars[name] = value } }

// VarFile sets variables from a file of NAME = VALUE lines.
func VarFile(name string) Option { return func(s *settings) { s.varFiles = append(s.varFiles, name) } }

// Clusters chooses clusters of the scenario file by names or patterns, as `lab
// run --cluster` does; all if none are chosen.
func Clusters(names ...string) Option {
	return func(s *settings) { s.clusters = append(s.clusters, names...) }
}

// Scenarios chooses scenarios of the file by names or patterns, as `lab run
// --scenario` does; all if none are chosen.
func Scenarios(names ...string) Option {
	return func(s *settings) { s.scenarios = append(s.scenarios, names...) }
}

// Fresh makes new clusters and destroys them in the end, instead of using those
// that wait.
func Fresh() Option { return func(s *settings) { s.fresh = true } }

// KeepOnFailure leaves the clusters there, with what the scenarios made, on
// which something did not come out as expected. The evidence is kept, too: in
// .lab/runs of the package's folder where Evidence names no other.
func KeepOnFailure() Option { return func(s *settings) { s.keepBad = true } }

// Evidence names the folder in which each run makes a folder for all that it
// observed. Without it that is the test's artifact directory, which `go test
// -artifacts` keeps and which otherwise goes with the test.
func Evidence(dir string) Option { return func(s *settings) { s.evidence = dir } }

// AllowHostExec lets the scenario run commands on this machine (exec with host =
// true).
func AllowHostExec() Option { return func(s *settings) { s.hostExec = true } }

// Logs writes the lines that containers write to the test's output, too. They
// are recorded all the same.
func Logs() Option { return func(s *settings) { s.logs = true } }
