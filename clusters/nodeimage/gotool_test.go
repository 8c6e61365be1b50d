package nodeimage

import "testing"

func TestTheUsersGarbageCollectionIsLeftAsItIs(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		set := func(asked string) (string, bool) { return "", asked == name }
		if got := collectSeldom(set); got != nil {
			t.Errorf("with %s set: %v", name, got)
		}
	}
	none := func(string) (string, bool) { return "", false }
	if got := collectSeldom(none); len(got) != 2 {
		t.Errorf("with none set: %v", got)
	}
}
