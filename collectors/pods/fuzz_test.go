package pods

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"Table","metadata":{"resourceVersion":"7"},"columnDefinitions":[{"name":"Status"}],"rows":[{"cells":["Running"],"object":{"metadata":{"name":"a","managedFields":[]}}}]}`,
		`{"kind":"Table","rows":[{"cells":[null,1,{}],"object":null}]}`,
		`{"kind":"PodList"}`, `{`, ``, `null`, `{"kind":"Table","rows":[{}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, document []byte) {
		names := columns{"Name", "Status"}
		rows, _, err := decodeTable(document, &names)
		if err != nil {
			return
		}
		for _, r := range rows {
			for _, decode := range []func(row) (decoded, error){decodePod, decodeJob} {
				d, err := decode(r)
				if err == nil {
					newFiles("", nil).keep(d.record)
				}
			}
		}
	})
}

func FuzzWatch(f *testing.F) {
	f.Add(`{"type":"BOOKMARK","object":{"kind":"Table","rows":[{"object":{"metadata":{"resourceVersion":"9"}}}]}}`)
	f.Add(`{"type":"ERROR","object":{"kind":"Status","code":410}}{"type":"ADDED"`)
	f.Fuzz(func(t *testing.T, stream string) {
		events := newEventReader(strings.NewReader(stream))
		w := newWatcher(&Collector{sink: newSink(), files: newFiles("", nil)}, podResource(), func() {})
		for {
			ev, err := events.next()
			if err != nil {
				return
			}
			if ev.Type == "ERROR" {
				_ = statusError("pods", ev.Object).Error()
			} else if w.handle(ev) != nil {
				return
			}
		}
	})
}

func TestADocumentIsBounded(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"type":"`), zeros{})
	if _, err := newEventReader(endless).next(); !errors.Is(err, errTooLong) {
		t.Errorf("error %v, want %v", err, errTooLong)
	}
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
