package ociruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sandbox is a host without CAP_SYS_RESOURCE and CAP_BPF.
func sandbox() Limits {
	return Limits{
		Bounding: 0x1fffeffffff &^ (1 << 39),
		LowestOOM: func(wanted int) (int, error) {
			return max(wanted, -7), nil
		},
		HardLimit: func(name string) (uint64, bool) {
			switch name {
			case "RLIMIT_NOFILE":
				return 20000, true
			case "RLIMIT_CORE":
				return 1<<64 - 1, true
			}
			return 0, false
		},
	}
}

// whole is a host that has everything.
func whole(t testing.TB) Limits {
	return Limits{
		Bounding:  0x1ffffffffff,
		LowestOOM: func(int) (int, error) { t.Error("asked for an OOM score"); return 0, nil },
		HardLimit: func(string) (uint64, bool) { t.Error("asked for a limit"); return 0, false },
	}
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// generic decodes JSON with its numbers as they are written.
func generic(t testing.TB, text []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v map[string]any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestRewriteSpec(t *testing.T) {
	before := fixture(t, "config.json")
	after, changes, err := RewriteSpec(before, sandbox())
	if err != nil {
		t.Fatal(err)
	}
	wantChanges := []string{
		"capabilities.bounding: 37 of 39 kept",
		"capabilities.effective: 37 of 39 kept",
		"capabilities.permitted: 37 of 39 kept",
		"oomScoreAdj: -7 instead of -999",
		"rlimits: RLIMIT_NOFILE at most 20000 instead of 1048576",
	}
	if diff := cmp.Diff(wantChanges, changes); diff != "" {
		t.Error(diff)
	}
	want := generic(t, before)
	expect(want["process"].(map[string]any))
	if diff := cmp.Diff(want, generic(t, after)); diff != "" {
		t.Errorf("changed more or less than it should (-want +got):\n%s", diff)
	}
}

// expect makes of the fixture's process what sandbox leaves of it.
func expect(process map[string]any) {
	for name, set := range process["capabilities"].(map[string]any) {
		process["capabilities"].(map[string]any)[name] = slices.DeleteFunc(set.([]any), func(c any) bool {
			return c == "CAP_SYS_RESOURCE" || c == "CAP_BPF"
		})
	}
	process["oomScoreAdj"] = json.Number("-7")
	files := process["rlimits"].([]any)[0].(map[string]any)
	files["hard"], files["soft"] = json.Number("20000"), json.Number("20000")
}

func TestRewriteProcess(t *testing.T) {
	before := fixture(t, "process.json")
	after, changes, err := RewriteProcess(before, sandbox())
	if err != nil || len(changes) != 5 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	want := generic(t, before)
	expect(want)
	if diff := cmp.Diff(want, generic(t, after)); diff != "" {
		t.Errorf("changed more or less than it should (-want +got):\n%s", diff)
	}
}

func TestRewriteLeavesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		spec   string
		limits Limits
	}{
		"a host that has everything":      {string(fixture(t, "config.json")), whole(t)},
		"no process":                      {`{"ociVersion":"1.0.2"}`, sandbox()},
		"no capabilities":                 {`{"process":{"args":["/x"]}}`, sandbox()},
		"null capabilities":               {`{"process":{"capabilities":null,"rlimits":null,"oomScoreAdj":null}}`, sandbox()},
		"capabilities that are available": {`{"process":{"capabilities":{"bounding":["CAP_KILL"],"ambient":null}}}`, sandbox()},
		"a soft limit":                    {`{"process":{"rlimits":[{"type":"RLIMIT_NOFILE","hard":20000,"soft":10}]}}`, sandbox()},
		"a high OOM score":                {`{"process":{"oomScoreAdj":1000}}`, sandbox()},
	} {
		t.Run(name, func(t *testing.T) {
			after, changes, err := RewriteSpec([]byte(c.spec), c.limits)
			if err != nil || len(changes) != 0 || string(after) != c.spec {
				t.Errorf("%v, %v: %s", changes, err, after)
			}
		})
	}
}

func TestRewriteErrors(t *testing.T) {
	broken := sandbox()
	broken.LowestOOM = func(int) (int, error) { return 0, errors.New("no proc") }
	for name, c := range map[string]struct {
		spec   string
		limits Limits
		want   string
	}{
		"not JSON":                {`{`, sandbox(), "reading the container's specification: unexpected end of JSON input"},
		"not an object":           {`null`, sandbox(), "reading the container's specification: not an object but null"},
		"a process of text":       {`{"process":"x"}`, sandbox(), "reading the process's specification: json: cannot unmarshal string into Go value of type map[string]json.RawMessage"},
		"a process of null":       {`{"process":null}`, sandbox(), "reading the process's specification: not an object but null"},
		"capabilities of numbers": {`{"process":{"capabilities":{"bounding":[1]}}}`, sandbox(), `reading "bounding" of the specification: json: cannot unmarshal number into Go value of type string`},
		"a limit below zero":      {`{"process":{"rlimits":[{"type":"RLIMIT_NOFILE","hard":-1,"soft":0}]}}`, sandbox(), `reading "hard" of the specification: json: cannot unmarshal number -1 into Go value of type uint64`},
		"an OOM score unread":     {`{"process":{"oomScoreAdj":0}}`, broken, "no proc"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := RewriteSpec([]byte(c.spec), c.limits); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func FuzzRewriteSpec(f *testing.F) {
	f.Add([]byte(`{"process":{"capabilities":{"bounding":["CAP_KILL","CAP_SYS_RESOURCE"]},"oomScoreAdj":-999,"rlimits":[{"type":"RLIMIT_NOFILE","hard":1048576,"soft":5}],"v":1.50},"w":[]}`))
	f.Add([]byte(`{"process":{"capabilities":{"bounding":["CAP_SYS_RESOURCE","x"],"Bounding":null}}}`))
	f.Add([]byte(`{"process":{"rlimits":[{"type":"RLIMIT_NOFILE","hard":1e5},null]}}`))
	f.Fuzz(func(t *testing.T, spec []byte) {
		limits := sandbox()
		after, changes, err := RewriteSpec(spec, limits)
		if err != nil {
			return
		}
		if len(changes) == 0 {
			if !bytes.Equal(after, spec) {
				t.Fatalf("changed without saying so: %s", after)
			}
			return
		}
		again, more, err := RewriteSpec(after, limits)
		if err != nil || len(more) != 0 || !bytes.Equal(again, after) {
			t.Fatalf("the second time it changed %v (%v): %s", more, err, after)
		}
		if left := leftOver(generic(t, after), generic(t, spec), t); left != "" {
			t.Fatal(left)
		}
	})
}

// leftOver says which field was lost, or which capability is still there.
func leftOver(after, before map[string]any, t testing.TB) string {
	process := func(spec map[string]any) map[string]any {
		p, ok := spec["process"].(map[string]any)
		if !ok {
			t.Fatalf("no process in %v", spec)
		}
		return p
	}
	for _, pair := range [][2]map[string]any{{before, after}, {process(before), process(after)}} {
		for key, value := range pair[0] {
			switch key {
			case "process", "capabilities", "rlimits", "oomScoreAdj":
				continue
			}
			if diff := cmp.Diff(value, pair[1][key]); diff != "" {
				return key + " changed: " + diff
			}
		}
	}
	sets, _ := process(after)["capabilities"].(map[string]any)
	for name, set := range sets {
		list, _ := set.([]any)
		if slices.Contains(list, any("CAP_SYS_RESOURCE")) {
			return "CAP_SYS_RESOURCE is still in " + name
		}
	}
	return ""
}
