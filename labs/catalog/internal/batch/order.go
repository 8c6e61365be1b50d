package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The values of -order.
const (
	orderGiven = "given"
	orderNeed  = "need"
)

// The ranks of labs by need, first to last.
const (
	rankChanged = iota
	rankFailed
	rankOld
)

// byNeed sorts the jobs: first those of labs that changed, then those that did
// not pass the last time, then those not judged for longest. Each job is given
// the reason for its place.
func byNeed(jobs []job, judged map[string]judgement, touched func(lab, commit string) (string, error), now time.Time) error {
	ranks := map[string]int{}
	for i, j := range jobs {
		last, known := judged[j.name]
		why, err := touched(j.name, last.Commit)
		if err != nil {
			return fmt.Errorf("looking for what changed of lab %s: %w", j.name, err)
		}
		ranks[j.name] = rankOld
		switch {
		case why != "":
			ranks[j.name] = rankChanged
		case known && !last.asExpected():
			ranks[j.name], why = rankFailed, last.Result+" "+ago(now.Sub(last.At))
		case known:
			why = "last judged " + ago(now.Sub(last.At))
		default:
			why = "never judged"
		}
		jobs[i].why = why
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(ranks[a.name], ranks[b.name]), judged[a.name].At.Compare(judged[b.name].At))
	})
	return nil
}

// ago is how long ago something was, in its greatest unit.
func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days ago", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes ago", max(d, 0)/time.Minute)
}
