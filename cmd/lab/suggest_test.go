package main

import "testing"

func TestSimilar(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typed string
		names []string
		want  string
	}{
		{"one letter is missing", "clster", []string{"scenario", "cluster"}, "cluster"},
		{"two letters are exchanged", "vaildate", []string{"validate"}, "validate"},
		{"upper case", "JSON", []string{"json"}, "json"},
		{"the nearest of two", "image", []string{"images", "image"}, "image"},
		{"more than half is wrong", "xy", []string{"up"}, ""},
		{"a short name with one mistake", "rn", []string{"ls", "run"}, "run"},
		{"three edits", "frobnicate", []string{"fabricate"}, ""},
		{"nothing to choose from", "x", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := similar(tt.typed, tt.names); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
