// Package collectors says what was observed and how far it can be trusted.
//
// Everything that happened is a Record. A Timeline is the fold of the records
// of one run on one cluster, in the order in which they arrived; it is never
// changed in any other way, so a run that was recorded can be judged again
// without a cluster.
//
// The packages below it observe. Each offers New(…, Sink, Options), Run(ctx) error
// and Ready, which is closed once nothing is missed any more.
//
// # Gaps
//
// What a source did not see it declares as a Gap, of the whole source or of a
// kind, an object or a container of it:
//
//   - To is zero: the gap goes on. Anything since From may be missing. It is
//     declared as soon as the source knows, so that what is judged meanwhile is
//     not judged over less than it seems.
//   - Count is 0: the gap is over and hides nothing. What changed in it was
//     recorded, late: between From and To what was known may have been out of
//     date.
//   - Count is positive: so many records or lines are lost, and no others.
//   - Count is -1: nobody knows what is lost. Something may have come and gone, or
//     have changed and changed back, without any record of it. What is there when
//     the gap is over was recorded.
//
// The record that closes a gap names the same source, object, container and From.
// It is added last: after every record of what was seen anew. So a gap that is
// over says that the source's view is up to date.
//
// # What each source promises
//
// Package pods promises the states of an object in the order in which the API
// server had them, and none left out, from Ready on. It may see them late. Of two
// objects of one kind the order is that of the changes, of two kinds it says
// nothing. A watch that breaks is a gap of its kind, with Object.Kind set; in old
// recordings that is empty for pods and Jobs, which stands for all of the API. The
// gap is closed with 0 if the watch was resumed and has brought all that was
// listed then, with -1 where all was listed anew. Sync returns once everything that
// the API server had is recorded. Kubernetes' events are hints: they may be
// missing, and come in any order.
//
// Package runtime promises each start and end of a container on its nodes, and
// each memory kill of which containerd or the kernel's log tells, from Ready on,
// and before that the newest ones of the containers that are there. Records of one
// container come in the order in which containerd reported them; their times are
// those of the events. A memory kill that the kernel's log alone tells of comes
// after the end. A stream that breaks is a gap of the whole source, closed with -1
// once the starts and ends were recorded that the node still knows. One that does
// not answer in time is a gap that is closed with 0 when it does. An event that
// cannot be read, or of which the container cannot be found, is a gap with the
// count 1. Ends by SIGKILL for which a node cannot be asked for the kernel's log are
// a gap with their count. Sync returns once all of which containerd knew before it
// is recorded; it leaves 20 ms for what just happened to get there.
//
// Package nodelogs promises every line of every container, each container's in the
// order in which the runtime wrote them, with what is beyond its bounds counted.
// Lines of two containers come in any order. Where the reading breaks, that is a
// gap of the whole source, closed when all files were read to their ends: with 0 if
// no container's files can have come or gone meanwhile, else with -1. Files of one
// container that went unread are a gap of that container with -1, from its last
// line's time by the node's clock, as all times of lines are; lines that are
// beyond the bounds, or are no log lines, one with their count, which is known only
// at the end. A node that does not answer in time is a gap that is closed with 0
// when it does. Sync returns once every line that was in the files is recorded.
//
// Package logs promises less, as the API does: of a container whose log was rotated
// or removed before it was read, lines are missing, and that is a gap of the
// container with -1. Lines come in any order until Reconcile. A watch of the pods
// that is away for more than 2 s is a gap of the whole source, closed with -1: pods
// may have come and gone. A log that cannot be read now is a gap of its container
// that is closed with 0 once it was read on without a hole.
//
// Package clocks promises how far the clocks of the nodes are from this machine's,
// at least once a minute; it declares no gaps. What it does not know is in the
// uncertainty of its records, as Timeline.ClockSkew has it. Between two
// measurements a clock of another machine may be set and set back unseen.
//
// Package nodes makes no records: it keeps what the kubelets wrote, for people.
package collectors
