package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// junitElement says what an element may have and must have.
type junitElement struct {
	required, optional, children []string
	text                         bool
}

// junitSchema are the rules of junit-10.xsd of Jenkins' xUnit plugin, for the
// elements that a report may have; what it leaves open, as Surefire's schema
// does, is open here too. Others, such as GitLab and GitHub's actions, take
// whatever satisfies it.
func junitSchema() map[string]junitElement {
	outcome := junitElement{optional: []string{"type", "message"}, text: true}
	return map[string]junitElement{
		"testsuites": {optional: []string{"name", "time", "tests", "failures", "errors"}, children: []string{"testsuite"}},
		"testsuite": {
			required: []string{"name", "tests", "failures", "errors"},
			optional: []string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
			children: []string{"testsuite", "properties", "testcase", "system-out", "system-err"},
		},
		"properties": {children: []string{"property"}},
		"property":   {required: []string{"name", "value"}},
		"testcase": {required: []string{"name"}, optional: []string{"time", "classname", "group"},
			children: []string{"skipped", "error", "failure", "system-out", "system-err"}},
		"failure": outcome, "error": outcome, "skipped": outcome,
		"system-out": {text: true}, "system-err": {text: true},
	}
}

// surefireTime is what the schema takes for the time of a suite.
var surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// checkJUnit holds XML to the schema.
func checkJUnit(data []byte) error {
	schema := junitSchema()
	decoder := xml.NewDecoder(bytes.NewReader(data))
	open := []string{""}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		inside := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			if inside == "" && name != "testsuites" || inside != "" && !slices.Contains(schema[inside].children, name) {
				return fmt.Errorf("there is a %s in %q", name, inside)
			}
			if err := checkAttributes(schema[name], x); err != nil {
				return err
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if strings.TrimSpace(string(x)) != "" && !schema[inside].text {
				return fmt.Errorf("there is text in %s: %q", inside, x)
			}
		}
	}
}

func checkAttributes(of junitElement, x xml.StartElement) error {
	var names []string
	for _, a := range x.Attr {
		names = append(names, a.Name.Local)
		if !slices.Contains(of.required, a.Name.Local) && !slices.Contains(of.optional, a.Name.Local) {
			return fmt.Errorf("%s has an attribute %s", x.Name.Local, a.Name.Local)
		}
		if a.Name.Local == "time" && !surefireTime.MatchString(a.Value) {
			return fmt.Errorf("%s has the time %q", x.Name.Local, a.Value)
		}
	}
	for _, name := range of.required {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s has no attribute %s", x.Name.Local, name)
		}
	}
	return nil
}

func TestJUnitKeepsToItsSchema(t *testing.T) {
	for name, r := range reporttest.Samples() {
		var b bytes.Buffer
		if err := Write(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := checkJUnit(b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{
		`<testsuite/>`, `<testsuites skipped="1"/>`, `<testsuites><testcase name="x"/></testsuites>`, `<testsuites>text</testsuites>`,
		`<testsuites><testsuite name="x" tests="1" failures="0"/></testsuites>`, `<testsuites time="1h"/>`,
	} {
		if checkJUnit([]byte(bad)) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
