package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// withContainer is a picture of a pod of one container.
func withContainer(c document.ContainerPicture) document.Picture {
	return document.Picture{Pods: []document.PodPicture{{Title: "p", Containers: []document.ContainerPicture{c}}}}
}

func TestHowAContainerEnded(t *testing.T) {
	run := func(r document.RunPicture) []document.RunPicture { return []document.RunPicture{r} }
	for name, tt := range map[string]struct {
		runs []document.RunPicture
		want string
	}{
		"no run":                       {nil, "never started"},
		"it runs":                      {run(document.RunPicture{StartedAt: runtimeAt(1)}), "still ran at the end"},
		"well":                         {run(document.RunPicture{Exited: true, Reason: "Completed"}), "exited 0"},
		"badly":                        {run(document.RunPicture{Exited: true, ExitCode: 3, Reason: "Error"}), "exited 3"},
		"by a signal":                  {run(document.RunPicture{Exited: true, ExitCode: 137, Reason: "Error"}), "exited 137 SIGKILL"},
		"well, but called an error":    {run(document.RunPicture{Exited: true, Reason: "Error"}), "exited 0 (Error)"},
		"badly, but called completed":  {run(document.RunPicture{Exited: true, ExitCode: 1, Reason: "Completed"}), "exited 1 (Completed)"},
		"for memory":                   {run(document.RunPicture{Exited: true, ExitCode: 137, Reason: "OOMKilled", OOM: true}), "exited 137 SIGKILL (OOMKilled)"},
		"a child killed for memory":    {run(document.RunPicture{Exited: true, ExitCode: 1, Reason: "Error", OOM: true}), "exited 1, after the kernel killed a process in it for lack of memory"},
		"the newest run counts":        {[]document.RunPicture{{Exited: true, ExitCode: 1}, {Exited: true}}, "exited 0"},
		"the newest run has not ended": {[]document.RunPicture{{Exited: true, ExitCode: 1}, {}}, "still ran at the end"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ended(document.ContainerPicture{Runs: tt.runs}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatAPodWasLike(t *testing.T) {
	at := func(p document.PodPicture) document.Picture {
		p.Title = "p"
		return document.Picture{Pods: []document.PodPicture{p}}
	}
	twice := ran("x", "main", runtimeAt, 0, 1, 0)
	twice.Runs = append(twice.Runs, ran("x", "main", runtimeAt, 5, 9, 0).Runs...)
	for name, tt := range map[string]struct {
		a, b document.Picture
		kind Kind
		want []string
	}{
		"a pod on one side": {at(document.PodPicture{}), document.Picture{}, KindPod, []string{"a: was there | b: was not seen"}},
		"a container on one side": {withContainer(document.ContainerPicture{Name: "x"}), at(document.PodPicture{}), KindPod,
			[]string{"a: was there | b: is not in the pod"}},
		"a container of a pod that was not seen": {withContainer(document.ContainerPicture{Name: "x"}), document.Picture{}, KindExit, nil},
		"no QoS is not another one":              {at(document.PodPicture{QOS: "Burstable"}), at(document.PodPicture{}), KindQOS, nil},
		"QoS":                                    {at(document.PodPicture{QOS: "Burstable"}), at(document.PodPicture{QOS: "Guaranteed"}), KindQOS, []string{"a: Burstable | b: Guaranteed"}},
		"a STATUS that is repeated": {at(document.PodPicture{Statuses: statuses("Pending", "Running", "Running")}),
			at(document.PodPicture{Statuses: statuses("Pending", "Running")}), KindStatus, nil},
		"a STATUS that came back": {at(document.PodPicture{Statuses: statuses("Running", "Error", "Running")}),
			at(document.PodPicture{Statuses: statuses("Running", "Error")}), KindStatus, []string{"a: Running → Error → Running | b: Running → Error"}},
		"kinds":                       {withContainer(document.ContainerPicture{Name: "x", Kind: "init"}), withContainer(document.ContainerPicture{Name: "x", Kind: "sidecar"}), KindContainer, []string{"a: init | b: sidecar"}},
		"an unknown kind":             {withContainer(document.ContainerPicture{Name: "x"}), withContainer(document.ContainerPicture{Name: "x", Kind: "sidecar"}), KindContainer, nil},
		"restarts":                    {withContainer(twice), withContainer(ran("x", "main", runtimeAt, 0, 1, 0)), KindRestarts, []string{"a: 1 restart | b: 0 restarts"}},
		"never started, no restarts":  {withContainer(twice), withContainer(document.ContainerPicture{Name: "x"}), KindRestarts, nil},
		"durations":                   {withContainer(ran("x", "main", runtimeAt, 0, 4, 0)), withContainer(ran("x", "main", runtimeAt, 2, 8, 0)), KindDuration, []string{"a: 4.0 s | b: 6.0 s"}},
		"durations by the API":        {withContainer(ran("x", "main", apiAt, 0, 4, 0)), withContainer(ran("x", "main", apiAt, 2, 14, 0)), KindDuration, []string{"a: ~4 s | b: ~12 s"}},
		"one that has not ended":      {withContainer(ran("x", "main", runtimeAt, 0, 4, 0)), withContainer(ran("x", "main", runtimeAt, 2, -1, 0)), KindDuration, nil},
		"as close as the API can say": {withContainer(ran("x", "main", apiAt, 0, 4, 0)), withContainer(ran("x", "main", apiAt, 0, 7, 0)), KindDuration, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := gocmp.Diff(tt.want, textsOf(twoSides(tt.a, tt.b), tt.kind)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunsOfAContainerAreComparedOneByOne(t *testing.T) {
	with := func(lengths ...float64) document.Picture {
		c := document.ContainerPicture{Name: "x"}
		at := 0.0
		for _, l := range lengths {
			c.Runs = append(c.Runs, ran("x", "", runtimeAt, at, at+l, 1).Runs...)
			at += l
		}
		return withContainer(c)
	}
	var got []string
	for _, d := range twoSides(with(1, 5, 1, 9), with(1, 50, 1, 90)).Parts[0].Differences {
		if d.Kind == KindDuration {
			got = append(got, d.Subject)
		}
	}
	if want := []string{"p/x, run 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: the fourth run is beyond what is compared", got, want)
	}
}

func TestConditionsAtTheEnd(t *testing.T) {
	change := func(kind, status string) document.ConditionChange {
		return document.ConditionChange{Instant: *apiAt(1), Type: kind, Status: status}
	}
	for name, tt := range map[string]struct {
		object document.ObjectPicture
		want   string
	}{
		"none":              {document.ObjectPicture{}, "no condition"},
		"sorted":            {document.ObjectPicture{Conditions: []document.ConditionChange{change("B", "True"), change("A", "False")}}, "A=False, B=True"},
		"the last counts":   {document.ObjectPicture{Conditions: []document.ConditionChange{change("A", "False"), change("A", "True")}}, "A=True"},
		"one that went":     {document.ObjectPicture{Conditions: []document.ConditionChange{change("A", "True"), change("A", "")}}, "no condition"},
		"gone":              {document.ObjectPicture{GoneAt: apiAt(3)}, "gone"},
		"gone when it held": {document.ObjectPicture{Conditions: []document.ConditionChange{change("A", "True")}, GoneAt: apiAt(3)}, "A=True, gone"},
	} {
		if got := conditions(tt.object); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestObjectsThatOneSideLacks holds that a Job is missed where it was not seen,
// and other objects are not: their names may hold what was generated.
func TestObjectsThatOneSideLacks(t *testing.T) {
	of := func(kind string) document.Picture {
		return document.Picture{Objects: []document.ObjectPicture{{Kind: kind, Name: "x", GoneAt: apiAt(1)}}}
	}
	if diff := gocmp.Diff([]string{"a: gone | b: was not seen"}, textsOf(twoSides(of("Job"), document.Picture{}), KindCondition)); diff != "" {
		t.Error(diff)
	}
	if got := textsOf(twoSides(of("ReplicaSet"), document.Picture{}), KindCondition); got != nil {
		t.Errorf("a ReplicaSet is missed: %q", got)
	}
}

func TestSidesThatCannotBeCompared(t *testing.T) {
	gap := func(from, to float64) document.GapPicture {
		return document.GapPicture{From: from, To: to, Source: "api"}
	}
	var many []document.GapPicture
	for i := range 6 {
		many = append(many, gap(float64(i), float64(i)+0.5), gap(float64(i), float64(i)+0.5))
	}
	for name, tt := range map[string]struct {
		change   func(*document.Document)
		notes    string
		compared int
	}{
		"nothing": {func(*document.Document) {}, "", 2},
		"a cluster was not up": {func(d *document.Document) {
			d.Report.Clusters[0].Error = "no room\nfor it"
			d.Report.Runs[0].StartedAt = d.Report.StartedAt
		}, "a is not compared, because its cluster could not be used: no room", 1},
		"it did not start":       {func(d *document.Document) { d.Report.Runs[0].StartedAt = d.Report.StartedAt }, "a is not compared, because it did not start.", 1},
		"its cluster broke late": {func(d *document.Document) { d.Report.Clusters[0].Error = "it could not be destroyed" }, "", 2},
		"one gap": {func(d *document.Document) { d.Pictures[0].Gaps = many[:1] },
			`a was not observed completely: the source "api" saw nothing from 0.0 s to 0.5 s. This can cause a difference.`, 2},
		"many gaps": {func(d *document.Document) { d.Pictures[0].Gaps = many }, "from 2.0 s to 2.5 s, and 3 more gaps. This can", 2},
	} {
		t.Run(name, func(t *testing.T) {
			d := sampleRun("r")
			add(&d, "s", cluster("a", "1.28.1"), document.Picture{})
			add(&d, "s", cluster("b", "1.29.1"), document.Picture{})
			tt.change(&d)
			p := Compare([]document.Document{d}, Options{}).Parts[0]
			if notes := strings.Join(p.Notes, "\n"); p.Compared != tt.compared || !strings.Contains(notes, tt.notes) || tt.notes == "" && notes != "" {
				t.Errorf("%d are compared, notes %q; want %d, %q", p.Compared, notes, tt.compared, tt.notes)
			}
		})
	}
}

func TestSidesThatWereAskedToDiffer(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b report.Cluster
		want []string
	}{
		"patches":       {cluster("a", "1.28.1"), cluster("b", "1.28.9"), nil},
		"minors":        {cluster("a", "1.28.1"), cluster("b", "1.29.1"), []string{"minor version"}},
		"gates":         {cluster("a", "1.28.1", "X"), cluster("b", "1.28.1"), []string{"feature gates"}},
		"both":          {cluster("a", "1.28.1", "X"), cluster("b", "1.29.1", "Y"), []string{"minor version", "feature gates"}},
		"short version": {cluster("a", "1"), cluster("b", "2"), []string{"minor version"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := sampleRun("r")
			add(&d, "s", tt.a, document.Picture{}, verdict("v", "true", expect.Pass))
			add(&d, "s", tt.b, document.Picture{}, verdict("v", "true", expect.Pass))
			var got []string
			for _, a := range Compare([]document.Document{d}, Options{}).Parts[0].Alike {
				got = append(got, a.Asked...)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("asked in %q, want %q", got, tt.want)
			}
		})
	}
}

// TestEveryKindHasATitle holds that no two kinds of differences read the same.
func TestEveryKindHasATitle(t *testing.T) {
	seen := map[string]Kind{}
	for _, k := range []Kind{KindPod, KindStatus, KindContainer, KindStarts, KindEnds, KindExit, KindRestarts, KindDuration, KindSpan, KindQOS, KindCondition, "new"} {
		title := Difference{Kind: k, Subject: "x"}.Title()
		if other, taken := seen[title]; taken || !strings.HasSuffix(title, " x") {
			t.Errorf("%s and %s are titled %q", k, other, title)
		}
		seen[title] = k
	}
	for _, k := range []Kind{KindVerdict, KindStep} {
		if title := (Difference{Kind: k, Subject: "it holds"}).Title(); title != "it holds" {
			t.Errorf("%s: %q", k, title)
		}
	}
}

// TestManySidesAreGroupedInMarkdown holds that a table does not grow a column for
// each of many clusters.
func TestManySidesAreGroupedInMarkdown(t *testing.T) {
	for _, n := range []int{mostColumns, mostColumns + 1} {
		d := sampleRun("r")
		for i := range n {
			add(&d, "s", cluster(fmt.Sprintf("c%d", i), "1.28.1"), document.Picture{}, verdict("v", fmt.Sprint(i%2 == 0), expect.Pass))
		}
		var b strings.Builder
		if err := WriteMarkdown(&b, Compare([]document.Document{d}, Options{})); err != nil {
			t.Fatal(err)
		}
		row := "| v | c0, c2, c4, c6 | ✅ true |\n|  | c1, c3, c5 | ✅ false |"
		if got := strings.Contains(b.String(), row); got != (n > mostColumns) {
			t.Errorf("%d sides:\n%s", n, &b)
		}
	}
}
