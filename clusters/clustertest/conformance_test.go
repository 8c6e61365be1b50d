package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// fake is a provider whose clusters are files. It can do what it states; if it
// lies about a capability, it does the opposite of what it states.
type fake struct {
	states clusters.Capabilities
	lies   clusters.Capability

	mu     sync.Mutex
	there  map[string]string // kubeconfigs by ids
	making map[string]bool
	paused map[string]bool
}

func newFake(states clusters.Capabilities) *fake {
	return &fake{states: states, there: map[string]string{}, making: map[string]bool{}, paused: map[string]bool{}}
}

func (f *fake) provider() *clusters.Provider {
	return &clusters.Provider{Name: "fake", Capabilities: f.Capabilities}
}

func (f *fake) Capabilities(clusters.Spec) clusters.Capabilities { return f.states }

// does returns the typed refusal of what the fake does not do.
func (f *fake) does(do clusters.Capability) error {
	if f.states.Can(do) != (do == f.lies) {
		return nil
	}
	return f.provider().Lacks("c", do)
}

func (f *fake) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	f.mu.Lock()
	taken := f.there[id] != "" || f.making[id]
	f.making[id] = true
	f.mu.Unlock()
	if taken {
		return clusters.Handle{}, errors.New("it is there already")
	}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.making, id)
	}()
	progress("making " + id)
	select {
	case <-time.After(10 * time.Millisecond):
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil { // on a busy machine both may have happened
		return clusters.Handle{}, err
	}
	if len(spec.Needs) > 0 && f.does(clusters.CheckRights) == nil {
		return clusters.Handle{}, errors.New("the account lacks rights")
	}
	err := errors.Join(os.MkdirAll(filepath.Dir(kubeconfig), 0o700), os.WriteFile(kubeconfig, nil, 0o600))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.there[id] = kubeconfig
	h := clusters.Handle{Name: spec.Name, Provider: "fake", ID: id, Version: spec.Version, Kubeconfig: kubeconfig, Capabilities: f.states}
	if f.does(clusters.Configure) != nil && f.states.CanConfigure {
		h.Version = "1.27.1"
	}
	if f.does(clusters.WatchNodes) == nil {
		h.Nodes = []clusters.Node{{Name: id + "-node", Role: "control-plane"}}
	}
	return h, err
}

func (f *fake) Destroy(ctx context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil || f.there[id] == "" {
		return ctx.Err()
	}
	err := os.Remove(f.there[id])
	delete(f.there, id)
	return err
}

func (f *fake) LoadImages(_ context.Context, _ clusters.Handle, refs []string, _ func(string)) error {
	if len(refs) == 0 {
		return nil
	}
	return f.does(clusters.LoadImages)
}

func (f *fake) Ask(_ context.Context, _ string, spec clusters.Spec) (clusters.Answer, error) {
	v, err := clusters.ParseVersion(spec.Version)
	return clusters.Answer{Version: v, Why: "it says so"}, errors.Join(err, f.does(clusters.AnswerBeforeRuns))
}

func (f *fake) Orphans(context.Context) ([]clusters.Orphan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []clusters.Orphan
	for id := range f.there {
		all = append(all, clusters.Orphan{ID: id})
	}
	return all, f.does(clusters.ListOrphans)
}

func (f *fake) Fingerprint(_ context.Context, spec clusters.Spec) (string, error) {
	return spec.Version, f.does(clusters.Reuse)
}

func (f *fake) NodeExec(_ context.Context, _ string, _ io.Reader, _, _ io.Writer, cmd ...string) error {
	if cmd[0] == "test" && f.lies == clusters.ReadLogFiles {
		return errors.New("exit status 1")
	}
	return f.does(clusters.ExecOnNodes)
}

func (f *fake) NodeState(_ context.Context, node string) (string, error) {
	if f.paused[node] {
		return "paused", nil
	}
	return "running", nil
}

func (f *fake) NodeAction(_ context.Context, node, action string) error {
	f.paused[node] = action == "pause"
	return f.does(clusters.OperateNodes)
}

// subject is the fake as the suite takes it.
func (f *fake) subject() Subject {
	s := Subject{
		Provisioner: f, Provider: f.provider(), Nodes: func(clusters.Handle) clusters.Nodes { return f },
		Spec: clusters.Spec{Name: "c", Provider: "fake", Version: "1.29.3"}, IDs: []string{"a", "b", "c", "d", "e"},
		Image: "busybox:1.35", Soon: time.Millisecond,
		Usable: func(_ context.Context, h clusters.Handle) error { _, err := os.Stat(h.Kubeconfig); return err },
		Left: func(_ *testing.T, id string) []string {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.there[id] == "" {
				return nil
			}
			return []string{id}
		},
	}
	if f.states.CanCheckRights {
		denied := s.Spec
		denied.Needs = []clusters.Need{{APIVersion: "v1", Kind: "Pod", Verbs: []string{"create"}}}
		s.Denied = &denied
	}
	return s
}

// everything and without are what fakes state.
func everything() clusters.Capabilities {
	can := clusters.OwnCluster()
	can.CanAnswerBeforeRuns, can.CanCheckRights = true, true
	return can
}

func without(do clusters.Capability) clusters.Capabilities {
	can := everything()
	switch do {
	case clusters.Configure:
		can.CanConfigure = false
	case clusters.AnswerBeforeRuns:
		can.CanAnswerBeforeRuns = false
	case clusters.CheckRights:
		can.CanCheckRights = false
	case clusters.ListOrphans:
		can.CanListOrphans = false
	case clusters.LoadImages:
		can.CanLoadImages = false
	case clusters.WatchNodes:
		can.CanWatchNodes = false
	case clusters.ExecOnNodes:
		can.CanExecOnNodes, can.CanReadLogFiles = false, false
	case clusters.OperateNodes:
		can.CanOperateNodes = false
	case clusters.ReadLogFiles:
		can.CanReadLogFiles = false
	case clusters.WriteClusterWide:
		can.CanWriteClusterWide = false
	case clusters.Reuse:
		can.CanReuse = false
	}
	return can
}

func TestFakesConform(t *testing.T) {
	t.Run("everything", func(t *testing.T) { Conformance(t, newFake(everything()).subject()) })
	t.Run("nothing", func(t *testing.T) { Conformance(t, newFake(clusters.Capabilities{}).subject()) })
	for _, do := range clusters.All() {
		t.Run("cannot "+string(do), func(t *testing.T) {
			if without(do).Can(do) {
				t.Fatal("it can")
			}
			Conformance(t, newFake(without(do)).subject())
		})
	}
}

// TestLiesAreFound holds fakes to the suite that state one thing and do another.
func TestLiesAreFound(t *testing.T) {
	// What cannot be refused, as there is nothing to ask for.
	passive := []clusters.Capability{clusters.Configure, clusters.CheckRights, clusters.WatchNodes, clusters.ReadLogFiles}
	for _, do := range clusters.All() {
		if do == clusters.WriteClusterWide {
			continue // which is not up to provisioners
		}
		for _, states := range []clusters.Capabilities{everything(), without(do)} {
			if !states.Can(do) && slices.Contains(passive, do) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %t", do, states.Can(do)), func(t *testing.T) {
				f := newFake(states)
				f.lies = do
				s := f.subject()
				var err error
				if do == clusters.Reuse {
					err = s.again(t)
				} else {
					h, failed := f.Create(t.Context(), s.Spec, "d", filepath.Join(t.TempDir(), "k", "config"), func(string) {})
					if failed != nil {
						t.Fatal(failed)
					}
					err = s.attempts()[do](t.Context(), h)
				}
				found := kept(states.Can(do), do, err)
				if found == nil || !strings.Contains(found.Error(), string(do)) {
					t.Errorf("not found: %v", found)
				}
			})
		}
	}
}

func TestContradictionsAreFound(t *testing.T) {
	f := newFake(without(clusters.OperateNodes))
	s := f.subject()
	good := clusters.Handle{Provider: "fake", Capabilities: f.states}
	if err := s.consistent(good); err != nil {
		t.Fatal(err)
	}
	beyond, other := good, good
	beyond.Capabilities.CanOperateNodes = true
	other.Provider = "other"
	unread := good
	unread.Capabilities.CanExecOnNodes = false
	for want, h := range map[string]clusters.Handle{
		"states that none can": beyond, `not of "fake"`: other, "no commands be run there": unread,
	} {
		if err := s.consistent(h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s.Denied = nil
	if err := s.consistent(good); err == nil || !strings.Contains(err.Error(), "CanCheckRights") {
		t.Errorf("%v", err)
	}
	s.Provider = newFake(everything()).provider()
	if err := s.consistent(good); err == nil || !strings.Contains(err.Error(), "its provisioner") {
		t.Errorf("%v", err)
	}
}
