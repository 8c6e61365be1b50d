package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// wellFormed reads XML to its end.
func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestWriteJUnit(t *testing.T) {
	for _, name := range []string{"pass", "fail", "error", "interrupted"} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, reporttest.Samples()[name]); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "junit-"+name, b.Bytes())
		})
	}
}

func TestJUnitCountsWhatItHolds(t *testing.T) {
	for name, r := range reporttest.Samples() {
		var b bytes.Buffer
		if err := Write(&b, r); err != nil {
			t.Fatal(err)
		}
		var got suites
		if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		c := report.Summary(r)
		own := c.BrokenClusters + c.Errors
		if r.Interrupted {
			own++
		}
		want := counts{
			Tests:    c.Expectations.Total() + c.Steps.Total() + own,
			Failures: c.Expectations.Fail + c.Steps.Fail, Errors: c.Expectations.Error + c.Steps.Error + own,
			Time: got.Time,
		}
		skipped := 0
		if got.counts != want {
			t.Errorf("%s: got %+v, want %+v", name, got.counts, want)
		}
		for _, s := range got.Suites {
			var counted suite
			for _, c := range s.Cases {
				switch {
				case c.Error != nil:
					counted.add(c, expect.Error)
				case c.Failure != nil:
					counted.add(c, expect.Fail)
				case c.Skipped != nil:
					counted.add(c, expect.Skip)
				default:
					counted.add(c, expect.Pass)
				}
			}
			counted.Time = s.Time
			skipped += s.Skipped
			if counted.counts != s.counts || counted.Skipped != s.Skipped {
				t.Errorf("%s, %s: it counts %+v and holds %+v", name, s.Name, s.counts, counted.counts)
			}
		}
		if want := c.Expectations.Skip + c.Steps.Skip; skipped != want {
			t.Errorf("%s: %d are skipped, want %d", name, skipped, want)
		}
	}
}

func TestJUnitIsValidForAnyBytes(t *testing.T) {
	r := reporttest.Fail()
	evil := "\x00\x01\xff\xfe]]>&<\"'\x1b[31m\ufffe\nsecond line\ud7ff"
	r.ID, r.Runs[0].Scenario, r.Runs[0].Steps[0].Detail, r.Clusters[1].Error = evil, evil, evil, evil
	v := r.Runs[6].Steps[4].Verdict
	v.Reason, v.Diagnostic.Detail, v.References[0].Value = evil, evil, evil
	r.Errors = []string{evil}
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(b.Bytes()); err != nil {
		t.Error(err)
	}
	if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("a control character is in %q", b.String()[i:min(b.Len(), i+40)])
	}
}
