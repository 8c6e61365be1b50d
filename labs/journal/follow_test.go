package journal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func TestAJournalIsFollowedToItsEnd(t *testing.T) {
	j, err := Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	const lines = 500
	failed := make(chan error, 1)
	go func() {
		var err error
		for i := range lines {
			err = errors.Join(err, j.Record("a/b", collectors.Record{Type: collectors.TypeLog, Log: &collectors.Log{Text: fmt.Sprint(i)}}))
			if i%100 == 0 { // some are flushed, and some lie half in a buffer
				time.Sleep(30 * time.Millisecond)
				err = errors.Join(err, j.Flush())
			}
		}
		failed <- errors.Join(err, j.Close())
	}()
	n := 0
	for e, err := range Follow(t.Context(), j.Dir()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Record == nil || e.Record.Log.Text != fmt.Sprint(n) {
			t.Fatalf("entry %d is %+v", n, e)
		}
		n++
	}
	if err := <-failed; err != nil || n != lines {
		t.Errorf("%d of %d entries were read; %v", n, lines, err)
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	j, err := Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Record("a/b", collectors.Record{}), j.Flush()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	n := 0
	for _, err := range Follow(ctx, j.Dir()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if err := j.Close(); err != nil || n != 1 {
		t.Errorf("%d entries, %v", n, err)
	}
}
