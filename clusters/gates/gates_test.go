package gates

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFacts holds the table to what the KEPs, release notes and measurements
// say.
func TestFacts(t *testing.T) {
	table := Load()
	for _, fact := range []struct {
		gate  string
		minor int
		want  string
	}{
		{"SidecarContainers", 27, ""},            // measured: unrecognized feature gate
		{"SidecarContainers", 28, "alpha=false"}, // KEP-753
		{"SidecarContainers", 29, "beta=true"},
		{"SidecarContainers", 32, "beta=true"},
		{"SidecarContainers", 33, "ga=true!"},
		{"SidecarContainers", 36, "ga=true!"},
		{"SidecarContainers", 37, ""}, // kubernetes#137755
		{"LegacySidecarContainers", 32, ""},
		{"LegacySidecarContainers", 33, "deprecated=false"},
		{"LegacySidecarContainers", 34, ""},
		{"InPlacePodVerticalScaling", 27, "alpha=false"}, // KEP-1287
		{"InPlacePodVerticalScaling", 33, "beta=true"},
		{"InPlacePodVerticalScaling", 35, "ga=true!"},
		{"ContainerRestartRules", 33, ""}, // KEP-5307
		{"ContainerRestartRules", 34, "alpha=false"},
		{"ContainerRestartRules", 35, "beta=true"},
		{"JobPodReplacementPolicy", 28, "alpha=false"}, // KEP-3939
		{"JobPodReplacementPolicy", 34, "ga=true!"},
		{"UserNamespacesSupport", 27, ""}, // KEP-127: UserNamespacesStatelessPodsSupport until then
		{"UserNamespacesStatelessPodsSupport", 27, "alpha=false"},
		{"UserNamespacesSupport", 33, "beta=true"},
		{"PodLevelResources", 32, "alpha=false"}, // KEP-2837
		{"ContextualLogging", 30, "beta=false"},
		{"AdmissionWebhookMatchConditions", 28, "beta=true"}, // of the API server's own library
		{"WatchListClient", 30, "beta=false"},                // of the client library
		{"Sidecar", 28, ""},
	} {
		got := ""
		if s, ok := table.Lookup(fact.minor, fact.gate); ok {
			got = s.Stage + "=" + map[bool]string{true: "true", false: "false"}[s.Default] + map[bool]string{true: "!"}[s.Locked]
		}
		if got != fact.want {
			t.Errorf("%s in 1.%d is %q, want %q", fact.gate, fact.minor, got, fact.want)
		}
	}
	if got := table.Known("SidecarContainers"); !slices.Equal(got, []int{28, 29, 30, 31, 32, 33, 34, 35, 36}) {
		t.Errorf("SidecarContainers is known to %v", got)
	}
}

func TestTable(t *testing.T) {
	table := Load()
	minors := table.Minors()
	if minors[0] != 27 || minors[len(minors)-1] < 37 || len(minors) != minors[len(minors)-1]-26 {
		t.Errorf("minor versions are %v", minors)
	}
	for _, minor := range minors {
		if n := len(table.Names(minor)); n < 100 || !strings.HasPrefix(table.Release(minor), "1.") {
			t.Errorf("1.%d, read from %q, has %d gates", minor, table.Release(minor), n)
		}
	}
	form := regexp.MustCompile(`^[A-Z][A-Za-z0-9]+( \d\d(-\d\d)?:(alpha|beta|ga|deprecated)=(true|false)!?)+$`)
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[2:] {
		if !form.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
}
