package collectors

import (
	"cmp"
	"slices"
)

// MaxRecords is how many records other than log lines a Timeline keeps for
// Records and Recent. Older ones are dropped first, and counted; what they
// changed stays in the state, and the run folder has them all.
const MaxRecords = 100000

// Records are the kept records other than log lines, in the order of their
// arrival, with the count of those that were let go. They must not be changed.
func (t *Timeline) Records() (records []Record, dropped int) {
	return t.records[:len(t.records):len(t.records)], t.dropped
}

// Recent is the last n records for which match is true, log lines among them,
// by their arrival; in the order of Compare, oldest first. match must not
// change the record.
func (t *Timeline) Recent(match func(*Record) bool, n int) []Record {
	if n <= 0 {
		return nil
	}
	found := lastMatches(nil, t.records, match, n)
	for _, x := range t.logs {
		found = lastMatches(found, x.lines, match, n)
	}
	slices.SortFunc(found, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), Compare(a, b))
	})
	if len(found) > n {
		found = found[len(found)-n:]
	}
	Sort(found)
	return found
}

// lastMatches appends the last n matching records to found, newest first.
func lastMatches(found, records []Record, match func(*Record) bool, n int) []Record {
	for i := len(records) - 1; i >= 0 && n > 0; i-- {
		if match(&records[i]) {
			found = append(found, records[i])
			n--
		}
	}
	return found
}
