package kindbuild

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/kind/pkg/build/nodeimage"
	"sigs.k8s.io/kind/pkg/exec"
	"sigs.k8s.io/kind/pkg/log"
)

// Variable is the environment variable by which a program is asked to run
// kind's builder: see Main.
const Variable = "LAB_KIND_BUILD"

// request is what the builder's process is asked for, as JSON in Variable.
type request struct {
	// Image is the name that the image gets, Base what it is layered on.
	Image, Base string
	// Type is how kind calls the kind of source, "file" or "source"; Param is
	// the path of that.
	Type, Param string
}

// Main runs kind's builder if the environment asks for that, and returns the
// exit code of the process; otherwise ok is false. Messages go to out, a line
// each. A program whose path is the Program of a Builder calls it first.
func Main(environ []string, out io.Writer) (code int, ok bool) {
	for _, v := range environ {
		text, found := strings.CutPrefix(v, Variable+"=")
		if !found {
			continue
		}
		// What the builder starts must not be asked again.
		if err := errors.Join(os.Unsetenv(Variable), run(text, out)); err != nil {
			fmt.Fprintln(out, err)
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func run(text string, out io.Writer) error {
	var r request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("reading %s: %w", Variable, err)
	}
	err := nodeimage.Build(
		nodeimage.WithImage(r.Image), nodeimage.WithBaseImage(r.Base),
		nodeimage.WithBuildType(r.Type), nodeimage.WithKubeParam(r.Param),
		nodeimage.WithLogger(logger{out}))
	if failed := exec.RunErrorForError(err); failed != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(failed.Output))))
	}
	return err
}

// logger writes what kind's builder says.
type logger struct{ out io.Writer }

func (l logger) Warn(message string)          { fmt.Fprintln(l.out, message) }
func (l logger) Warnf(f string, args ...any)  { fmt.Fprintf(l.out, f+"\n", args...) }
func (l logger) Error(message string)         { fmt.Fprintln(l.out, message) }
func (l logger) Errorf(f string, args ...any) { fmt.Fprintf(l.out, f+"\n", args...) }

// V returns a logger for level 0 alone: what is above it is for debugging the
// builder.
func (l logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return info(l)
}

type info logger

func (i info) Info(message string)         { fmt.Fprintln(i.out, message) }
func (i info) Infof(f string, args ...any) { fmt.Fprintf(i.out, f+"\n", args...) }
func (i info) Enabled() bool               { return true }

var _ log.Logger = logger{}
