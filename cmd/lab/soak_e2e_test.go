//go:build e2e

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/reaper"
)

// soakRuns is how many runs there are; the environment can ask for more.
func soakRuns(t *testing.T) int {
	text := os.Getenv("LAB_TEST_SOAK_RUNS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPoolSoak lets two at a time run a scenario on three sorts of clusters that
// they share, and kills every third run at any moment. No run may find anything
// of another, and nothing may be left.
func TestPoolSoak(t *testing.T) {
	t.Parallel()
	from, err := filepath.Abs(filepath.Join("testdata", "soak"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &soak{t: t, from: from, env: []string{"LAB_POOL=" + filepath.Join(dir, "pool"), "LAB_POOL_MAX=3"}, random: rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))}
	work := make(chan int)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for n := range work {
				s.run(n, filepath.Join(dir, fmt.Sprint("run-", n)))
			}
		})
	}
	for n := range soakRuns(t) {
		work <- n
	}
	close(work)
	group.Wait()
	t.Logf("%d runs were killed, %d took a cluster that was idle, %d made one", s.killed, s.taken, s.made)
	s.left(dir)
}

type soak struct {
	t    *testing.T
	from string
	env  []string

	mu                  sync.Mutex
	random              *rand.Rand
	killed, taken, made int
}

func (s *soak) choose(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

// program is lab with the soak's own pool.
func (s *soak) program(dir string, args ...string) *exec.Cmd {
	cmd := asProgram(s.t, dir, args...)
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

// run is one run, of which every third is killed.
func (s *soak) run(n int, dir string) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		s.t.Error(err)
		return
	}
	cluster := []string{"v127", "v128", "v129"}[s.choose(3)]
	token := fmt.Sprintf("token-%d-%d", n, s.choose(1<<30))
	cmd := s.program(dir, "run", "--no-logs", "--cluster", cluster, "--var", "token="+token, s.from)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	if n%3 == 2 {
		time.Sleep(time.Duration(s.choose(10000)) * time.Millisecond)
		_ = cmd.Process.Kill() // one that has ended is not killed
	}
	err := cmd.Wait()
	if n%3 == 2 && !cmd.ProcessState.Exited() {
		s.reaped(dir)
		return
	}
	s.count(out.String())
	if err != nil {
		s.t.Errorf("run %d on %s: %v\n%s", n, cluster, err, out.String())
		return
	}
	for _, r := range theReport(s.t, dir).Runs {
		for _, step := range r.Steps {
			if step.Status != expect.Pass || strings.Contains(step.Detail, "unchanged") || strings.Contains(step.Detail, "configured") {
				s.t.Errorf("run %d on %s: step %s: %s: %s", n, cluster, step.Name, step.Status, step.Detail)
			}
		}
	}
}

func (s *soak) count(out string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(out, "which was idle") {
		s.taken++
	}
	if strings.Contains(out, "Preparing nodes") {
		s.made++
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "not kept for the next run") || strings.Contains(line, "did not come back whole") || strings.Contains(line, "to make room") {
			s.t.Log(strings.TrimSpace(line))
		}
	}
}

// reaped waits for the reaper of a run that was killed, if it had one.
func (s *soak) reaped(dir string) {
	s.mu.Lock()
	s.killed++
	s.mu.Unlock()
	found, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*", reaper.Log))
	if err != nil {
		s.t.Error(err)
	}
	for _, log := range found {
		if run := filepath.Dir(log); !s.released(run) {
			reaped(s.t, run)
		}
	}
}

// released says whether the run had reported to its reaper that there was nothing left to
// do before it was killed: its report is there, and the reaper is gone without a
// word.
func (s *soak) released(run string) bool {
	if _, err := os.Stat(filepath.Join(run, "report.json")); err != nil {
		return false
	}
	if exec.Command("pgrep", "-f", "reap .*"+run).Run() == nil {
		return false
	}
	said, err := os.ReadFile(filepath.Join(run, reaper.Log))
	return err == nil && len(said) == 0
}

// left looks for what is left once all is over: clusters that nobody waits for,
// containers that the pool does not know, kubeconfigs.
func (s *soak) left(dir string) {
	said, err := s.program(dir, "ls", "--json").Output()
	var lines []clusterLine
	if err == nil {
		err = json.Unmarshal(said, &lines)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range lines {
		if l.Pooled && l.State != "idle, paused" {
			s.t.Errorf("%s is %s", l.ID, l.State)
		}
	}
	kubeconfigs, err := filepath.Glob(filepath.Join(dir, "run-*", ".lab", "runs", "*", "kubeconfig", "*"))
	if err != nil || len(kubeconfigs) > 0 {
		s.t.Errorf("kubeconfigs are left: %v, %v", kubeconfigs, err)
	}
	if said, err = s.program(dir, "down", "--all").CombinedOutput(); err != nil {
		s.t.Errorf("%s, %v", said, err)
	}
	folders, err := os.ReadDir(filepath.Join(dir, "pool"))
	if err != nil || len(folders) > 0 {
		s.t.Errorf("the pool still knows of %v, %v", folders, err)
	}
}
