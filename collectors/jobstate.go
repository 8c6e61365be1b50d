package collectors

// JobState is what is known of a Job: one UID. It is a snapshot that later
// records do not change; it must not be changed.
type JobState struct {
	Object Object
	// First and Last are the first and the newest record of the API that have
	// its state.
	First, Last Record
	// GoneAt is when the removal from the API was received.
	GoneAt Moment
}

// Job is what the newest record says.
func (j *JobState) Job() *Job { return j.Last.Job }

// job is the fold of one Job's records.
type job struct{ state JobState }

// addJob folds a Job record.
func (t *Timeline) addJob(r Record) {
	j := t.jobOf[r.Object]
	if j == nil {
		if r.Job == nil {
			return
		}
		j = &job{JobState{Object: r.Object, First: r, Last: r}}
		t.jobOf[r.Object] = j
		t.jobs = append(t.jobs, j)
	}
	if r.Type == TypeJobGone && !j.state.GoneAt.Known() {
		j.state.GoneAt = recordMoment(r)
	}
	if r.Job != nil {
		j.state.Last = r
	}
}

// Jobs are all Jobs that the API showed, those that are gone among them, in
// the order in which they were first seen.
func (t *Timeline) Jobs() []*JobState {
	states := make([]*JobState, len(t.jobs))
	for i, j := range t.jobs {
		state := j.state
		states[i] = &state
	}
	return states
}
