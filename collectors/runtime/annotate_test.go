package runtime

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// taskLine is a line of ctr about a task, whose bundle is in the script's folder.
func (s *script) taskLine(topic, id, more string) string {
	return fmt.Sprintf(`2026-01-02 15:04:05.123456789 +0000 UTC k8s.io %s {"container_id":%q,"bundle":%q,"rootfs":[],"io":{},"pid":7%s}`,
		topic, id, s.bundle(id), more)
}

func (s *script) bundle(id string) string { return filepath.Join(s.dir, "bundles", id) }

// bundled writes a container's config.json.
func (s *script) bundled(t *testing.T, id, config string) {
	t.Helper()
	if err := os.MkdirAll(s.bundle(id), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(t, filepath.Join("bundles", id, "config.json"), config)
}

// happen lets ctr print lines, at once.
func (s *script) happen(t *testing.T, lines ...string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(s.dir, "events"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// printed are so many of the lines that come.
func (s *script) printed(t *testing.T, count int) []string {
	t.Helper()
	var lines []string
	for range count {
		lines = append(lines, receive(t, "line", s.events).line)
	}
	return lines
}

// config is a bundle's config.json as containerd writes it.
func config(t *testing.T, env []string, annotations map[string]string) string {
	t.Helper()
	text, err := json.Marshal(struct {
		Version     string            `json:"ociVersion"`
		Process     any               `json:"process"`
		Annotations map[string]string `json:"annotations"`
		Linux       any               `json:"linux"`
	}{"1.2.0", map[string]any{"user": map[string]int{"uid": 0}, "args": []string{"sh", "-c", "exit"}, "env": env}, annotations,
		map[string]any{"cgroupsPath": "kubelet.slice", "sysctl": map[string]string{"net.ipv4.ip_forward": "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cri are annotations of containerd's CRI plugin.
func cri(kind, pod, namespace, uid, container string) map[string]string {
	const prefix = "io.kubernetes.cri."
	all := map[string]string{"io.katacontainers.pkg": `{"annotations":{}}`}
	for name, value := range map[string]string{
		"container-type": kind, "sandbox-name": pod, "sandbox-namespace": namespace, "sandbox-uid": uid, "container-name": container,
	} {
		if value != "" {
			all[prefix+name] = value
		}
	}
	return all
}

// TestTheScriptSaysWhoseAContainerIs reads bundles of many kinds. What is said
// comes right before the event.
func TestTheScriptSaysWhoseAContainerIs(t *testing.T) {
	mine := note{Pod: "myapp", Namespace: "lab", UID: "uid-1", Container: "main"}
	good := cri("container", "myapp", "lab", "uid-1", "main")
	decoys := []string{
		`A={"annotations":{"io.kubernetes.cri.container-type":"sandbox"}}`, `annotations`, `B=\`, `C="annotations":{`, "D=\u2028\n\t\"\\\"", `"annotations`,
	}
	strange := note{Pod: `my"app\`, Namespace: "läb 日本 😀", UID: "a\nb\tc<>&\u2028", Container: `","container":"x`}
	for name, test := range map[string]struct {
		config string
		want   note
	}{
		"a container":                 {config: config(t, nil, good), want: mine},
		"a sandbox":                   {config: config(t, nil, cri("sandbox", "myapp", "lab", "uid-1", "")), want: note{Sandbox: true}},
		"laid out over many lines":    {config: indented(t, config(t, decoys, good)), want: mine},
		"values like the annotations": {config: config(t, decoys, good), want: mine},
		"strange names": {
			config: config(t, decoys, cri("container", strange.Pod, strange.Namespace, strange.UID, strange.Container)), want: strange,
		},
		"300 KB":                     {config: config(t, []string{"A=" + strings.Repeat(`x"\`, 60_000)}, good), want: mine},
		"5 MB":                       {config: config(t, []string{strings.Repeat("x", 5<<20)}, good)},
		"a name of 10 KB":            {config: config(t, nil, cri("container", strings.Repeat("x", 10<<10), "lab", "uid-1", "main"))},
		"no uid":                     {config: config(t, nil, cri("container", "myapp", "lab", "", "main"))},
		"a type of later":            {config: config(t, nil, cri("pod", "myapp", "lab", "uid-1", "main"))},
		"of nobody":                  {config: config(t, nil, nil)},
		"cut off":                    {config: strings.SplitAfter(config(t, nil, good), "container-type")[0]},
		"cut off behind a value":     {config: strings.SplitAfter(config(t, nil, good), `"main"`)[0]},
		"a name over several lines":  {config: strings.Replace(config(t, nil, good), "myapp", "my\napp", 1)},
		"values that are no strings": {config: strings.Replace(config(t, nil, good), `"myapp"`, `["myapp"]`, 1)},
		"not JSON":                   {config: "\x00\xff\"annotations\":{\"\\"},
		"empty":                      {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, "perl")
			s.bundled(t, "c1", test.config)
			s.run(t)
			line, next := s.taskLine(topicTaskCreate, "c1", ""), s.taskLine("/tasks/start", "other", "")
			s.happen(t, line, next)
			got := receive(t, "line", s.events)
			want := test.want
			if want != (note{}) {
				want.ID = "c1"
				if got.topic != topicOwner || got.namespace != criNamespace || got.note != want || got.at.IsZero() {
					t.Errorf("the line %s\nsays %+v, want %+v", got.line, got.note, want)
				}
				got = receive(t, "line", s.events)
			}
			if diff := cmp.Diff([]string{line, next}, append([]string{got.line}, s.printed(t, 1)...)); diff != "" {
				t.Error(diff)
			}
			if err := s.stdin.Close(); err != nil {
				t.Fatal(err)
			}
			_ = s.ends(t, "its input")
		})
	}
}

func indented(t *testing.T, text string) string {
	t.Helper()
	var all any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestTheScriptLooksForABundleAgain has bundles that are not there when a task is
// created, or not a file, or gone.
func TestTheScriptLooksForABundleAgain(t *testing.T) {
	s := newScript(t, "perl")
	good := config(t, nil, cri("container", "myapp", "lab", "uid-1", "main"))
	if err := os.MkdirAll(filepath.Join(s.bundle("folder"), "config.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.bundled(t, "there", good)
	s.run(t)
	lines := []string{
		s.taskLine(topicTaskCreate, "late", ""), s.taskLine(topicTaskCreate, "folder", ""), s.taskLine(topicTaskCreate, "gone", ""),
		s.taskLine(topicTaskCreate, "there", ""),
	}
	s.happen(t, lines...)
	first := s.printed(t, 5)
	s.bundled(t, "late", good)
	later := []string{
		s.taskLine(topicStart, "late", ""), s.taskLine(topicStart, "folder", ""), s.taskLine(topicStart, "gone", ""),
		s.taskLine(topicStart, "there", ""), s.taskLine(topicStart, "late", ""), `2026-01-02 15:04:05 +0000 UTC moby /tasks/create {"container_id":"there"}`,
	}
	s.happen(t, later...)
	second := s.printed(t, 7)
	said := func(id string) string {
		return fmt.Sprintf(`2026-01-02 15:04:05.123456789 +0000 UTC k8s.io /lab/container {"id":%q,"pod":"myapp","namespace":"lab","uid":"uid-1","container":"main"}`, id)
	}
	want := append(append(append(lines[:3:3], said("there"), lines[3]), said("late")), later...)
	if diff := cmp.Diff(want, append(first, second...)); diff != "" {
		t.Error(diff)
	}
	if err := s.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	_ = s.ends(t, "its input")
}

// TestTheScriptKeepsTheOrder prints much at once, and a question behind it: what
// comes is what was printed, line by line, and what is said of a line before it.
func TestTheScriptKeepsTheOrder(t *testing.T) {
	for _, names := range [][]string{{"perl"}, {}} {
		s := newScript(t, names...)
		s.bundled(t, "c1", config(t, nil, cri("container", "myapp", "lab", "uid-1", "main")))
		s.run(t)
		const lines = 2000
		var all []string
		for i := range lines {
			all = append(all, s.taskLine(topicTaskCreate, "c1", fmt.Sprintf(`,"n":%d,"text":%q`, i, strings.Repeat("x", i%100*50))))
		}
		s.happen(t, all...)
		for i := range lines {
			if len(names) > 0 {
				if e := receive(t, "line", s.events); e.topic != topicOwner || e.note.Container != "main" {
					t.Fatalf("before line %d comes %s", i, e.line)
				}
			}
			if e := receive(t, "line", s.events); e.line != all[i] {
				t.Fatalf("line %d is %s", i, e.line)
			}
		}
		s.ask(t, "lab-probe-one")
		if e := receive(t, "answer", s.events); !e.isAnswer() {
			t.Errorf("behind all comes %s", e.line)
		}
		if err := s.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		_ = s.ends(t, "its input")
	}
}

// TestTheScriptEndsWithWhatAnnotates kills the program in front. Whoever asked sees
// the end, and nothing is left when ctr has something to say, or the input ends.
func TestTheScriptEndsWithWhatAnnotates(t *testing.T) {
	for name, then := range map[string]func(*script){
		"the input ends":       func(s *script) { _ = s.stdin.Close() },
		"containerd says more": func(s *script) { s.happen(t, s.taskLine(topicStart, "c1", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, "perl")
			s.run(t)
			s.happen(t, s.taskLine(topicStart, "c1", ""))
			s.printed(t, 1)
			if err := s.process.Kill(); err != nil {
				t.Fatal(err)
			}
			then(s)
			_ = s.ends(t, "what annotates")
			_ = s.stdin.Close()
		})
	}
}

// TestTheScriptSaysWhatTheKernelKilled has a file for the kernel's log.
func TestTheScriptSaysWhatTheKernelKilled(t *testing.T) {
	s := newScript(t, "perl")
	s.programs = strings.ReplaceAll(s.programs, "/dev/kmsg", filepath.Join(s.dir, "kmsg"))
	record := func(id string) string {
		return "6,1234,98765,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,oom_memcg=/a/cri-containerd-none.scope," +
			"task_memcg=/docker/d/kubelet.slice/cri-containerd-" + id + ".scope,task=sh,pid=7,uid=0\n SUBSYSTEM=memory\n"
	}
	s.write(t, "kmsg", "")
	s.run(t)
	exit := func(id, process string, code int) string {
		return s.taskLine("/tasks/exit", id, fmt.Sprintf(`,"id":%q,"exit_status":%d,"exited_at":{"seconds":1}`, process, code))
	}
	said := func(id string, oom bool) string {
		return fmt.Sprintf(`2026-01-02 15:04:05.123456789 +0000 UTC k8s.io /lab/kernel {"id":%q,"oom":%v}`, id, oom)
	}
	silent := exit("before", "before", 137)
	s.happen(t, silent)
	got, want := s.printed(t, 1), []string{silent}
	s.write(t, "kmsg", "4,1,2,-;usb 1-1: new device\n"+record("c1")+record("c2"))
	lines := []string{exit("c1", "c1", 137), exit("c3", "c3", 137), exit("c2", "an-exec", 137), exit("c2", "c2", 1), exit("c2", "c2", 137)}
	s.happen(t, lines...)
	got = append(got, s.printed(t, 8)...)
	want = append(want, said("c1", true), lines[0], said("c3", false), lines[1], lines[2], lines[3], said("c2", true), lines[4])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := s.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	_ = s.ends(t, "its input")
}
