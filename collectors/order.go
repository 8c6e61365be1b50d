package collectors

import (
	"cmp"
	"slices"
)

// Compare is the order in which records are printed, first to last: by Time;
// where that is equal the more precise one first, since a time in whole
// seconds is cut off and so lies at or after what it says; then by Received,
// then by Seq, and last by what the record says it is about. It is a total
// order of the records of one run.
//
// An API object's Time is when its change was received, so it stands where it
// became known, and the runtime's records where things happened. That two
// records are printed one after the other is no evidence of their order: Order
// says whether two times can be distinguished.
func Compare(a, b Record) int {
	return cmp.Or(
		a.Time.Compare(b.Time),
		cmp.Compare(a.Precision, b.Precision),
		a.Received.Compare(b.Received),
		cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Object.Kind, b.Object.Kind),
		cmp.Compare(a.Object.Namespace, b.Object.Namespace),
		cmp.Compare(a.Object.Name, b.Object.Name),
		cmp.Compare(a.Object.UID, b.Object.UID),
		cmp.Compare(a.Container, b.Container),
	)
}

// Less says whether a is printed before b.
func Less(a, b Record) bool { return Compare(a, b) < 0 }

// Sort puts records into the order of Compare.
func Sort(records []Record) { slices.SortStableFunc(records, Compare) }
