package document

import "testing"

func TestPodsAreFoundAgainOnOtherClusters(t *testing.T) {
	for name, want := range map[string]string{
		"myapp-x7k2p": "myapp-*", "web-6d4cf56db6-x7k2p": "web-*", "db-0": "db-0", "proxy": "proxy",
		"cache-agent": "cache-agent", "my-other-b56qs": "my-other-*",
	} {
		if got := PodTitles([]string{name})[0]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestPodsOfOneNameAreNumbered(t *testing.T) {
	got := PodTitles([]string{"web-x7k2p", "db-0", "web-4b9dz"})
	if got[0] != "web-*" || got[1] != "db-0" || got[2] != "web-* (no. 2)" {
		t.Errorf("got %q", got)
	}
}
