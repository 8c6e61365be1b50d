package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

func TestAClusterIsLeasedAgain(t *testing.T) {
	h, dir := newHost(), t.TempDir()
	first, _ := acquire(t, h.pool(t, dir), "1.29.1", "lab-a-v")
	p := h.pool(t, dir)
	if other, _ := acquire(t, p, "1.29.1", "lab-b-v"); other.ID == first.ID {
		t.Fatal("two have the same cluster")
	}
	kubeconfig := p.leased["lab-b-v"].copy
	if text := release(t, p, "lab-b-v", ""); !strings.Contains(text, "waits for the next run, paused") {
		t.Errorf("said %q", text)
	}
	if _, err := os.Stat(kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the holder's kubeconfig is left: %v", err)
	}
	if got := h.left(); len(got) != 2 || !strings.HasSuffix(got[0]+got[1], "paused") && !strings.HasSuffix(got[0], "paused") {
		t.Errorf("there is %v, want one of two paused", got)
	}
	again, said := acquire(t, h.pool(t, dir), "1.29.1", "lab-c-v")
	if again.ID == first.ID || h.made != 2 || !strings.Contains(said, "taking "+again.ID) {
		t.Errorf("got %s of %d that were made, progress %q", again.ID, h.made, said)
	}
	if info, err := os.Stat(again.Kubeconfig); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig: %v, %v", info, err)
	}
	if first.Reused || !again.Reused {
		t.Errorf("reused: first %t, again %t", first.Reused, again.Reused)
	}
	if again.Name != "v" || again.Nodes[0].Name != again.ID+"-control-plane" {
		t.Errorf("the handle is %+v", again)
	}
	if _, said := acquire(t, h.pool(t, dir), "1.28.1", "lab-d-v"); strings.Contains(said, "taking") || h.made != 3 {
		t.Errorf("another version: %q, %d made", said, h.made)
	}
}

func TestWhatIsGivenBackIsCleaned(t *testing.T) {
	for name, c := range map[string]struct {
		tainted string
		change  func(c *fakeCluster)
		want    string
		kept    bool
		deleted []string
	}{
		"nothing was done": {want: "waits", kept: true},
		"objects were made": {change: func(c *fakeCluster) {
			for _, o := range []string{"customresourcedefinitions a", "namespaces lab-x", "pods lab-x/p", "clusterroles r", "mutatingwebhookconfigurations w", "pods default/p"} {
				c.objects[object(o)] = "1"
			}
		}, want: "waits", kept: true,
			deleted: []string{"mutatingwebhookconfigurations w", "namespaces lab-x", "clusterroles r", "pods default/p", "customresourcedefinitions a"}},
		"one was changed": {change: func(c *fakeCluster) { c.objects[object("deployments kube-system/coredns")] = "2" },
			want: "destroyed, not kept for the next run: changed: deployments kube-system/coredns"},
		"one is gone": {change: func(c *fakeCluster) { delete(c.objects, object("deployments kube-system/coredns")) },
			want: "destroyed, not kept for the next run: gone: deployments kube-system/coredns"},
		"it is broken":               {change: func(c *fakeCluster) { c.state = "exited" }, want: "what is on it is unknown: connection refused"},
		"something cannot be undone": {tainted: "a command ran on node n", want: "destroyed, not kept for the next run: a command ran on node n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			p := h.pool(t, t.TempDir())
			handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
			var cluster *fakeCluster
			h.change(handle.ID, func(c *fakeCluster) { cluster = c })
			if c.change != nil {
				h.change(handle.ID, c.change)
			}
			if text := release(t, p, "lab-a-v", c.tainted); !strings.Contains(text, c.want) {
				t.Errorf("said %q, want %q", text, c.want)
			}
			if kept := len(h.left()) == 1; kept != c.kept {
				t.Errorf("there is %v", h.left())
			}
			if list, err := p.List(); err != nil || (len(list) == 1) != c.kept {
				t.Errorf("noted: %+v, %v", list, err)
			}
			if diff := cmp.Diff(c.deleted, cluster.deleted); diff != "" {
				t.Errorf("deleted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatDoesNotGo(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
	h.change(handle.ID, func(c *fakeCluster) {
		c.stays = object("namespaces lab-x")
		c.objects[c.stays] = "1"
	})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	text, err := p.Release(ctx, "lab-a-v", "", func(string) {})
	if err != nil || !strings.Contains(text, "namespaces lab-x is still there") || !strings.Contains(text, "finalizers example.com/never") {
		t.Errorf("said %q, %v", text, err)
	}
	if left := h.left(); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

func TestWhatDoesNotComeBackWholeIsReplaced(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	first, _ := acquire(t, p, "1.29.1", "lab-a-v")
	release(t, p, "lab-a-v", "")
	h.wakeFails = errors.New("cannot unpause: no such process")
	second, said := acquire(t, p, "1.29.1", "lab-b-v")
	if second.ID == first.ID || !strings.Contains(said, first.ID+" did not come back whole and is replaced: cannot unpause") {
		t.Errorf("got %s, progress %q", second.ID, said)
	}
	if left := h.left(); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
}

func TestAMachineThatWasStartedAnew(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
	release(t, p, "lab-a-v", "")
	h.change(handle.ID, func(c *fakeCluster) { c.state, c.born = "running", 7 })
	if next, said := acquire(t, p, "1.29.1", "lab-b-v"); next.ID == handle.ID || !strings.Contains(said, "was started anew") {
		t.Errorf("got %s, progress %q", next.ID, said)
	}
}

func TestNodesThatThinkTheirRuntimeIsDead(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
	release(t, p, "lab-a-v", "")
	h.kubeletsNotice = true
	members, err := p.members()
	if err != nil || len(members) != 1 {
		t.Fatal(members, err)
	}
	members[0].Paused = time.Now().Add(-time.Minute)
	if err := members[0].save(); err != nil {
		t.Fatal(err)
	}
	acquire(t, p, "1.29.1", "lab-b-v")
	h.change(handle.ID, func(c *fakeCluster) {
		if want := []string{handle.ID + "-control-plane"}; !slices.Equal(c.marked, want) {
			t.Errorf("marked %v, want %v", c.marked, want)
		}
	})
}

func TestManyHoldersAtOnce(t *testing.T) {
	h, dir := newHost(), t.TempDir()
	var mu sync.Mutex
	using := map[string]string{}
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			p := h.pool(t, dir)
			for round := range 8 {
				id := fmt.Sprintf("lab-%d-%d", i, round)
				handle, err := p.Create(t.Context(), clusters.Spec{Version: "1.29.1"}, id, filepath.Join(dir, "k", id), func(string) {})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if other := using[handle.ID]; other != "" {
					t.Errorf("%s is used by %s and %s", handle.ID, other, id)
				}
				using[handle.ID] = id
				mu.Unlock()
				h.change(handle.ID, func(c *fakeCluster) { c.objects[object("namespaces "+id)] = "1" })
				time.Sleep(time.Duration(i) * time.Millisecond)
				h.change(handle.ID, func(c *fakeCluster) {
					for o := range c.objects {
						if strings.HasPrefix(o.Name, "lab-") && o.Name != id {
							t.Errorf("%s finds %s on its cluster", id, o)
						}
					}
				})
				mu.Lock()
				delete(using, handle.ID)
				mu.Unlock()
				if _, err := p.Release(t.Context(), id, "", func(string) {}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if h.made > 48 || len(h.left()) > 8 {
		t.Errorf("%d were made for 96 runs of 12 holders, and %d are left where 8 may wait", h.made, len(h.left()))
	}
}

func TestAHolderThatIsGone(t *testing.T) {
	h, dir := newHost(), t.TempDir()
	gone := h.pool(t, dir)
	handle, _ := acquire(t, gone, "1.29.1", "lab-a-v")
	p := h.pool(t, dir)
	if err := p.Destroy(t.Context(), "lab-a-v"); err == nil || !strings.Contains(err.Error(), "is in use by process") {
		t.Errorf("destroying what another uses: %v", err)
	}
	gone.leased["lab-a-v"].unlock() // as by the end of its process
	if next, _ := acquire(t, p, "1.29.1", "lab-b-v"); next.ID == handle.ID {
		t.Error("a cluster that was not cleaned is leased again")
	}
	list, err := p.List()
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for _, s := range list {
		if s.Busy != (s.ID != handle.ID) || s.State != StateLeased {
			t.Errorf("listed as %+v", s)
		}
	}
	if err := p.Destroy(t.Context(), "lab-a-v"); err != nil {
		t.Fatal(err)
	}
	if left := h.left(); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
	if err := p.Destroy(t.Context(), "lab-a-v"); err != nil {
		t.Errorf("once more: %v", err)
	}
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		number int
		memory int64
		want   []string
	}{
		"two may wait":    {2, 8 << 30, []string{"1.4", "1.3"}},
		"900 MiB for all": {8, 900 << 20, []string{"1.4", "1.3"}},
		"none may wait":   {0, 8 << 30, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			p := New(h, Options{Dir: t.TempDir(), MaxIdle: c.number, MaxMemory: c.memory, Connect: h.connect})
			for _, version := range []string{"1.1", "1.2", "1.3", "1.4"} {
				acquire(t, p, version, "lab-"+version)
			}
			last := ""
			for _, version := range []string{"1.1", "1.2", "1.3", "1.4"} {
				last = release(t, p, "lab-"+version, "")
			}
			if !strings.Contains(last, "removed to make room: lab-pool-") && !strings.HasPrefix(last, "destroyed: no more") {
				t.Errorf("said %q", last)
			}
			list, err := p.List()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range list {
				got = append(got, s.Spec.Version)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(h.left()) != len(got) {
				t.Errorf("those that wait (-want +got):\n%s and there is %v", diff, h.left())
			}
		})
	}
}

func TestAnEndThatIsHurried(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
	h.destroyTakes = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	h.destroying = cancel
	text, err := p.Release(ctx, "lab-a-v", "a command ran on this machine", func(string) {})
	if err != nil || len(h.left()) > 0 {
		t.Errorf("said %q, %v; there is %v", text, err, h.left())
	}
	if _, err := os.Stat(filepath.Join(p.options.Dir, handle.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still noted: %v", err)
	}
}

func TestAPoolThatKeepsNone(t *testing.T) {
	h := newHost()
	p := New(h, Options{Dir: t.TempDir(), Connect: h.connect})
	acquire(t, p, "1.29.1", "lab-a-v")
	if text := release(t, p, "lab-a-v", ""); !strings.HasPrefix(text, "destroyed: no more clusters may wait") || len(h.left()) > 0 {
		t.Errorf("said %q, and there is %v", text, h.left())
	}
}

func TestTheOneThatWaitsLongestIsEvicted(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	var ids []string
	for _, version := range []string{"1.1", "1.2", "1.3"} {
		handle, _ := acquire(t, p, version, "lab-"+version)
		ids = append(ids, handle.ID)
	}
	release(t, p, "lab-1.2", "")
	release(t, p, "lab-1.1", "")
	for _, want := range []string{ids[1], ids[0], ""} {
		if got, err := p.Evict(t.Context()); got != want || err != nil {
			t.Errorf("evicted %q, %v; want %q", got, err, want)
		}
	}
	if left := h.left(); len(left) != 1 || !strings.HasPrefix(left[0], ids[2]) {
		t.Errorf("there is %v", left)
	}
}

func TestWhatFailsLeavesNothing(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	h.createFails = errors.New("the kubelet does not start")
	if _, err := p.Create(t.Context(), clusters.Spec{Version: "1.29.1"}, "lab-a-v", filepath.Join(t.TempDir(), "k"), func(string) {}); !errors.Is(err, h.createFails) {
		t.Errorf("error %v", err)
	}
	if list, err := p.List(); err != nil || len(list) > 0 {
		t.Errorf("noted: %v, %v", list, err)
	}
	h.createFails = nil
	acquire(t, p, "1.29.1", "lab-a-v")
	h.destroyFails = 1
	if _, err := p.Release(t.Context(), "lab-a-v", "it was broken", func(string) {}); err == nil {
		t.Error("a failure to destroy is not reported")
	}
	list, err := p.List()
	if err != nil || len(list) != 1 || list[0].State != StateTainted || list[0].Busy {
		t.Fatalf("noted: %+v, %v", list, err)
	}
	if next, _ := acquire(t, p, "1.29.1", "lab-b-v"); next.ID == list[0].ID {
		t.Error("what was to be destroyed is leased again")
	}
	if err := p.Destroy(t.Context(), list[0].ID); err != nil || len(h.left()) != 1 {
		t.Errorf("destroying it by its own name: %v, there is %v", err, h.left())
	}
}

func TestAStateThatCannotBeRead(t *testing.T) {
	h, dir := newHost(), t.TempDir()
	p := h.pool(t, dir)
	handle, _ := acquire(t, p, "1.29.1", "lab-a-v")
	release(t, p, "lab-a-v", "")
	if err := os.WriteFile(filepath.Join(dir, handle.ID, stateFile), []byte(`{"id":"lab-`), 0o600); err != nil {
		t.Fatal(err)
	}
	if next, _ := acquire(t, p, "1.29.1", "lab-b-v"); next.ID == handle.ID {
		t.Error("it is leased")
	}
	list, err := p.List()
	if err != nil || len(list) != 2 || !slices.ContainsFunc(list, func(s Status) bool { return s.ID == handle.ID && s.State == StateTainted }) {
		t.Errorf("listed as %+v, %v", list, err)
	}
}
