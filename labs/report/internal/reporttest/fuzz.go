package reporttest

import (
	"encoding/json"
	"testing"
)

// AddReports adds the samples to a fuzz test as JSON, whole and cut off, and a
// report that is not as lab writes one.
func AddReports(f *testing.F) {
	for name, r := range Samples() {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(name, err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte(`{"version":1,"runs":[{"steps":[{"verdict":{"diagnostic":{"snippet":{"code":"a\nb","highlight_start":-3,"highlight_end":99}}}}]}]}`))
}
