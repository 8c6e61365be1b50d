package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

const gib = int64(1) << 30

// Bounds of what a cluster needs: a node image takes 1.0 to 1.2 GB, and building one
// needs the room of a Go module and build cache besides.
const (
	diskFail = 10 * gib
	diskWarn = 25 * gib
	// nodeMemory is what a node of a quiet cluster takes, measured.
	nodeMemory = 520 * (int64(1) << 20)
	memoryFail = 1 * gib
	memoryWarn = 2 * gib
)

func engineFinding(name string, facts info) Finding {
	detail := fmt.Sprintf("%s %s answers", name, facts.version)
	if facts.rootless {
		detail += ", rootless"
	}
	return Finding{ID: FindingEngine, Title: "container engine", Status: StatusOK, Detail: detail}
}

func noEngineFinding(err error) Finding {
	detail := err.Error()
	var none *noEngineError
	if errors.As(err, &none) {
		detail = none.seen()
	}
	cause, remedy := explain(knownFailures(), detail)
	if remedy == "" {
		cause, remedy = "clusters run in containers, and none of the engines that kind knows answers", engineAdvice
	}
	return Finding{ID: FindingEngine, Title: "container engine", Status: StatusFail, Detail: printable(detail), Cause: cause, Remedy: remedy}
}

func cgroupFinding(facts info) Finding {
	f := Finding{ID: FindingCgroup, Title: "cgroup version", Status: StatusOK, Detail: fmt.Sprintf("v%d", facts.cgroup)}
	switch {
	case facts.cgroup == 1 && facts.rootless:
		f.Status = StatusFail
		f.Cause = "a rootless engine cannot limit containers on cgroup v1, and kind refuses it"
		f.Remedy = "use an engine that runs as root, or boot the host with cgroup v2 (kernel argument systemd.unified_cgroup_hierarchy=1)"
	case facts.cgroup == 1:
		f.Status = StatusWarn
		f.Cause = "Kubernetes 1.35 and later refuses to start on cgroup v1 unless its kubelet is configured otherwise"
		f.Remedy = "lab does it by itself: the kubelet of such a cluster gets failCgroupV1: false. Experiments about memory limits and OOM kills behave as on cgroup v1"
	}
	return f
}

// consequence says what a missing capability means for a node; "" where that
// is not known.
func consequence(capability string) (text string, status Status) {
	switch capability {
	case "CAP_SYS_RESOURCE":
		return "CAP_SYS_RESOURCE: a node cannot lower OOM scores, and pods would not start", StatusWarn
	case "CAP_SYS_ADMIN", "CAP_NET_ADMIN":
		return capability + ": a node cannot mount file systems or set up networks, and will not boot", StatusFail
	}
	return "", StatusWarn
}

func capabilitiesFinding(host clusters.Host, isKnown bool) Finding {
	f := Finding{ID: FindingCapabilities, Title: "capabilities", Status: StatusOK, Detail: "none is missing"}
	if !isKnown {
		f.Status, f.Detail = StatusSkip, "the engine is not on this machine, and no container could be asked"
		return f
	}
	if len(host.MissingCapabilities) == 0 {
		return f
	}
	f.Status, f.Detail = StatusWarn, "missing: "+strings.Join(host.MissingCapabilities, ", ")
	causes := []string{"the host's capability bounding set is not full, as in a sandbox or a container"}
	for _, c := range host.MissingCapabilities {
		text, status := consequence(c)
		if text != "" {
			causes = append(causes, text)
		}
		if status == StatusFail {
			f.Status = StatusFail
		}
	}
	f.Cause = strings.Join(causes, ". ")
	if f.Status == StatusFail {
		f.Remedy = "run on a host, or in a container, that has them"
		return f
	}
	f.Remedy = "lab does what can be done by itself: `lab engine up` registers an OCI runtime that asks for no more than the host has"
	if host.Lacks("CAP_SYS_RESOURCE") {
		f.Remedy += ", and the nodes' containerd gets restrict_oom_score_adj = true"
	}
	return f
}

func inotifyFinding(seen *facts) Finding {
	f := Finding{ID: FindingInotify, Title: "inotify limits", Status: StatusOK}
	if seen == nil {
		f.Status, f.Detail = StatusSkip, "the engine is not on this machine, and no container could be asked"
		return f
	}
	f.Detail = fmt.Sprintf("max_user_instances %d, max_user_watches %d", seen.InotifyInstances, seen.InotifyWatches)
	var low []limit
	for i, now := range []int64{seen.InotifyInstances, seen.InotifyWatches} {
		if l := inotifyLimits()[i]; now < l.want {
			low = append(low, l)
		}
	}
	if len(low) == 0 {
		return f
	}
	f.Status = StatusWarn
	f.Cause = "all nodes of all clusters share these limits; where they are used up, pods fail with \"too many open files\""
	f.Remedy = fmt.Sprintf("enough for a few nodes. For more, `lab engine up` as root, or `%s`; to keep it over a boot, write the same into /etc/sysctl.d/99-kind.conf", sysctl(low))
	return f
}

func storageFinding(facts info) Finding {
	f := Finding{ID: FindingStorage, Title: "storage driver", Status: StatusOK, Detail: facts.storage}
	switch facts.storage {
	case "":
		f.Status, f.Detail = StatusSkip, "the engine does not tell"
	case "vfs":
		f.Status = StatusWarn
		f.Cause = "vfs copies the whole image for every container: a node takes more than 1 GB and seconds more to start"
		f.Remedy = "let the engine use overlay2: keep its data on ext4 or xfs, not on another overlay"
	}
	return f
}

func diskFinding(folder string, free int64, err error) Finding {
	f := Finding{ID: FindingDisk, Title: "free disk", Status: StatusOK}
	if err != nil {
		f.Status, f.Detail = StatusSkip, "unknown: "+err.Error()
		return f
	}
	f.Detail = fmt.Sprintf("%s free where images live (%s)", bytesText(free), folder)
	if free >= diskWarn {
		return f
	}
	f.Status = StatusWarn
	f.Cause = "a node image takes more than 1 GB, building one takes some 10 GB for a while"
	f.Remedy = "make room: `docker system df` tells what takes it, `lab image prune` and `docker system prune` free it"
	if free < diskFail {
		f.Status = StatusFail
	}
	return f
}

func memoryFinding(total, available int64, err error) Finding {
	f := Finding{ID: FindingMemory, Title: "memory", Status: StatusOK}
	f.Detail = fmt.Sprintf("%s available of %s", bytesText(available), bytesText(total))
	if err != nil {
		available = total
		f.Detail = fmt.Sprintf("%s in all (how much is available is unknown)", bytesText(total))
	}
	f.Detail += fmt.Sprintf(": room for about %d quiet nodes, at %s each before any workload", available/nodeMemory, bytesText(nodeMemory))
	if available >= memoryWarn {
		return f
	}
	f.Status = StatusWarn
	f.Cause = "where memory runs out, the kernel kills what a lab is about to watch"
	f.Remedy = "stop what is not needed (`lab gc` shows clusters that were left behind), or let fewer clusters run at once"
	if available < memoryFail {
		f.Status = StatusFail
	}
	return f
}
