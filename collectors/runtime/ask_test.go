package runtime

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// attached is an asker over a pipe, and what is asked on it.
func attached(t *testing.T) (*asker, <-chan string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	names, done := make(chan string, 100), make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			names <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		<-done
	})
	a := &asker{}
	a.attach(w)
	return a, names
}

// asking asks beside, and returns once the question is known.
func asking(t *testing.T, ctx context.Context, a *asker) <-chan error {
	t.Helper()
	before := a.waiting()
	answer := make(chan error, 1)
	go func() { answer <- a.ask(ctx) }()
	for limit := time.Now().Add(10 * time.Second); a.waiting() == before; <-time.After(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("nobody waits")
		}
	}
	return answer
}

func (a *asker) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, q := range []*question{a.sent, a.next} {
		if q != nil {
			n += q.waiting
		}
	}
	return n
}

func wantAnswer(t *testing.T, who string, answer <-chan error, want string) {
	t.Helper()
	select {
	case err := <-answer:
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", who, err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%s has no answer", who)
	}
}

func wantWait(t *testing.T, who string, answer <-chan error) {
	t.Helper()
	select {
	case err := <-answer:
		t.Fatalf("%s has an answer to a question of before: %v", who, err)
	case <-time.After(20 * time.Millisecond):
	}
}

func TestWhoWaitsSharesTheNextQuestion(t *testing.T) {
	a, names := attached(t)
	first := asking(t, t.Context(), a)
	one := <-names
	second, third := asking(t, t.Context(), a), asking(t, t.Context(), a)
	a.answered(one)
	wantWait(t, "the first, of whose question the event did not come yet", first)
	a.pass(one)
	wantAnswer(t, "the first", first, "")
	wantWait(t, "the second", second)
	two := <-names
	fourth := asking(t, t.Context(), a)
	a.pass(one)
	wantWait(t, "the second", second)
	a.pass(two)
	wantAnswer(t, "the second", second, "")
	wantAnswer(t, "the third", third, "")
	wantWait(t, "the fourth", fourth)
	a.pass(<-names)
	wantAnswer(t, "the fourth", fourth, "")
	if len(names) > 0 {
		t.Errorf("%d more questions were asked", len(names))
	}
}

func TestAQuestionThatNobodyWaitsForHoldsNobodyUp(t *testing.T) {
	a, names := attached(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := asking(t, ctx, a)
	<-names
	stays := asking(t, t.Context(), a)
	leaves := asking(t, ctx, a)
	cancel()
	wantAnswer(t, "who left", gone, "context canceled")
	wantAnswer(t, "who left early", leaves, "context canceled")
	a.pass(<-names)
	wantAnswer(t, "who stayed", stays, "")
}

func TestTheNodeSaysWhyItCausesNoEvent(t *testing.T) {
	a, names := attached(t)
	first := asking(t, t.Context(), a)
	one := <-names
	second := asking(t, t.Context(), a)
	if a.answered("ctr: level=warning") || !a.answered(probePrefix+"old: late") || !a.answered(one+": ctr: no\tsuch socket ") {
		t.Error("what is an answer and what is not was confused")
	}
	wantAnswer(t, "the first", first, "ctr: no such socket")
	a.pass(<-names)
	wantAnswer(t, "the second", second, "")
}

func TestQuestionsEndWithTheirStream(t *testing.T) {
	a, names := attached(t)
	first := asking(t, t.Context(), a)
	<-names
	second := asking(t, t.Context(), a)
	a.detach(errors.New("it ended"))
	for _, answer := range []<-chan error{first, second} {
		wantAnswer(t, "who waits", answer, "it ended")
	}
	third := asking(t, t.Context(), a)
	wantWait(t, "the third, which waits for a stream", third)
	a.close()
	wantAnswer(t, "the third", third, "had ended before")
	if err := a.ask(t.Context()); err == nil || errors.Is(err, errDetached) {
		t.Errorf("after the end: %v", err)
	}
}

// TestAnInputThatNobodyReadsHoldsNobodyUp fills the pipe.
func TestAnInputThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = w.Write(make([]byte, 4096))
	}
	a := &asker{}
	a.attach(w)
	began := time.Now()
	if err := a.ask(t.Context()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
