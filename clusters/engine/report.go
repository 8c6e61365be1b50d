package engine

import (
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// ReportVersion is the version of the report's JSON form. Fields are added
// under the same version; one that is renamed, removed or changes its meaning
// makes a new one.
const ReportVersion = 1

// Status says how a finding turned out.
type Status string

// The statuses, from good to bad; skip is a question that an earlier failure
// or the lack of something left open, as the detail says.
const (
	StatusOK   Status = "ok"
	StatusSkip Status = "skip"
	StatusWarn Status = "warn"
	StatusFail Status = "fail"
)

// rank orders the statuses from good to bad.
func (s Status) rank() int {
	return strings.Index("ok  skipwarnfail", string(s)) / 4
}

// The identifiers of the findings, in the order of a report.
const (
	FindingEngine       = "engine"
	FindingPrivileged   = "privileged"
	FindingExec         = "exec-privileged"
	FindingCgroup       = "cgroup"
	FindingCapabilities = "capabilities"
	FindingInotify      = "inotify"
	FindingStorage      = "storage-driver"
	FindingDisk         = "disk"
	FindingMemory       = "memory"
	FindingRegistry     = "registry"
)

// Finding is one thing that was examined.
type Finding struct {
	// ID names the question and stays the same between versions.
	ID string `json:"id"`
	// Title is the question in a few words.
	Title string `json:"title"`
	// Status is the answer.
	Status Status `json:"status"`
	// Detail says what was seen.
	Detail string `json:"detail"`
	// Cause says why it is so and what follows, where the status is not ok.
	Cause string `json:"cause,omitempty"`
	// Remedy says what to do, or what lab does by itself.
	Remedy string `json:"remedy,omitempty"`
}

// Examined say which engine was examined.
type Examined struct {
	// Name is "docker", "podman" or "nerdctl".
	Name string `json:"name"`
	// Version is the server's, as it writes it.
	Version string `json:"version"`
	// Storage is the storage driver, such as "overlay2".
	Storage string `json:"storage,omitempty"`
	// Runtime is the OCI runtime that containers get by default.
	Runtime string `json:"runtime,omitempty"`
	// Rootless tells of an engine without root's rights.
	Rootless bool `json:"rootless,omitempty"`
	// Local tells of an engine on this very machine.
	Local bool `json:"local"`
}

// Report is what Examine found out. Its JSON form is the canon, the text is
// made of it.
type Report struct {
	// Version is ReportVersion.
	Version int `json:"version"`
	// Status is the worst of the findings'.
	Status Status `json:"status"`
	// Engine is the engine that answered, nil for none.
	Engine *Examined `json:"engine,omitempty"`
	// Host is the engine's machine; nil where no engine answered.
	Host *clusters.Host `json:"host,omitempty"`
	// Findings are all questions, in a fixed order.
	Findings []Finding `json:"findings"`
}

// OK says whether clusters can be made: nothing failed.
func (r Report) OK() bool { return r.Status != StatusFail }

// Finding returns the finding with this identifier, and false where the
// report has none.
func (r Report) Finding(id string) (Finding, bool) {
	for _, f := range r.Findings {
		if f.ID == id {
			return f, true
		}
	}
	return Finding{}, false
}

// newReport sets the status from the findings.
func newReport(findings []Finding) Report {
	r := Report{Version: ReportVersion, Status: StatusOK, Findings: findings}
	for _, f := range findings {
		if f.Status.rank() > r.Status.rank() {
			r.Status = f.Status
		}
	}
	return r
}

func (r Report) count(s Status) int {
	n := 0
	for _, f := range r.Findings {
		if f.Status == s {
			n++
		}
	}
	return n
}

// WriteText writes the report for people: a finding a line, below it the
// cause and the remedy where there is something to say.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	if r.Engine != nil && r.Host != nil {
		fmt.Fprintf(&b, "%s %s, cgroup v%d, %d CPUs, %s of memory\n\n",
			r.Engine.Name, r.Engine.Version, r.Host.Cgroup, r.Host.CPUs, bytesText(r.Host.Memory))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-4s  %s: %s\n", f.Status, f.Title, indented(f.Detail))
		if f.Cause != "" {
			fmt.Fprintf(&b, "      why:    %s\n", indented(f.Cause))
		}
		if f.Remedy != "" {
			fmt.Fprintf(&b, "      remedy: %s\n", indented(f.Remedy))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

func indented(text string) string {
	return strings.ReplaceAll(text, "\n", "\n              ")
}

func (r Report) summary() string {
	failures, warnings := r.count(StatusFail), r.count(StatusWarn)
	switch {
	case failures > 0:
		return counted(failures, "failure") + ", " + counted(warnings, "warning") + ": clusters cannot be made here yet."
	case warnings > 0:
		return "No failures, " + counted(warnings, "warning") + ": clusters can be made here."
	}
	return "All is well: clusters can be made here."
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// bytesText writes bytes as people do, such as "23.5 GiB".
func bytesText(n int64) string {
	const mib = 1 << 20
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n/mib)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
