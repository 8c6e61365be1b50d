package collectors

import "time"

// Moment is a time with its source and how finely it is known. Its zero value
// is a time that is not known.
type Moment struct {
	Time      time.Time     `json:"time,omitzero"`
	Precision time.Duration `json:"precision,omitempty"`
	Source    Source        `json:"source,omitempty"`
}

// Known says whether the moment is known at all.
func (m Moment) Known() bool { return !m.Time.IsZero() }

// Order tells which of two moments was first: negative where a was, positive
// where b was. It is false if that cannot be known: one of them is not
// known, or they are less apart than the coarser of the two is precise.
func Order(a, b Moment) (int, bool) {
	if !a.Known() || !b.Known() {
		return 0, false
	}
	apart := b.Time.Sub(a.Time).Abs()
	if apart == 0 || apart < max(a.Precision, b.Precision) {
		return 0, false
	}
	return a.Time.Compare(b.Time), true
}

// APIMoment is a time that the API tells, which has whole seconds; not known
// where t is zero.
func APIMoment(t time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	return Moment{Time: t, Precision: time.Second, Source: SourceAPI}
}

// recordMoment is a record's own time.
func recordMoment(r Record) Moment {
	return Moment{Time: r.Time, Precision: r.Precision, Source: r.Source}
}

// orElse is m, or other where m is not known.
func (m Moment) orElse(other Moment) Moment {
	if m.Known() {
		return m
	}
	return other
}

// earliest is the earlier of two moments, the other where one is not known.
func earliest(a, b Moment) Moment {
	if !a.Known() || b.Known() && b.Time.Before(a.Time) {
		return b
	}
	return a
}

// finest is the moment that is known more precisely, and the earlier one where
// both are alike; what is not known counts for nothing.
func finest(a, b Moment) Moment {
	if a.Known() && b.Known() && a.Precision != b.Precision {
		if b.Precision < a.Precision {
			return b
		}
		return a
	}
	return earliest(a, b)
}
