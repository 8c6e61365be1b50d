package clustertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

// What a Provisioner has beside its own methods if it states the capability.
type (
	// asker states CanAnswerBeforeRuns.
	asker interface {
		Ask(ctx context.Context, constraint string, spec clusters.Spec) (clusters.Answer, error)
	}
	// lister states CanListOrphans.
	lister interface {
		Orphans(ctx context.Context) ([]clusters.Orphan, error)
	}
	// reuser states CanReuse: a pool keeps its clusters.
	reuser interface {
		Fingerprint(ctx context.Context, spec clusters.Spec) (string, error)
	}
	// releaser states CanReuse as well: it is a pool.
	releaser interface {
		Release(ctx context.Context, id, tainted string, progress func(string)) (string, error)
	}
)

// capabilities holds a cluster that is there to what is stated of it. Reuse ends
// the cluster, and is a test of its own. Whether objects outside of a namespace
// can be changed is not up to the provisioner.
func (s Subject) capabilities(t *testing.T, handle clusters.Handle) {
	if err := s.consistent(handle); err != nil {
		t.Error(err)
	}
	for _, do := range clusters.All() {
		try := s.attempts()[do]
		if try == nil {
			continue
		}
		t.Run(string(do), func(t *testing.T) {
			if err := kept(handle.Capabilities.Can(do), do, try(t.Context(), handle)); err != nil {
				t.Error(err)
			}
		})
	}
	s.usable(t, handle, "after its capabilities were used")
}

// consistent says what contradicts itself in what is stated.
func (s Subject) consistent(handle clusters.Handle) error {
	stated := s.Provisioner.Capabilities(s.Spec)
	if other := s.Provider.Capabilities(s.Spec); other != stated {
		return fmt.Errorf("the provider states %+v, and its provisioner %+v", other, stated)
	}
	if beyond := handle.Capabilities.Beyond(stated); len(beyond) > 0 {
		return fmt.Errorf("the cluster can %q, and its provider states that none can", beyond)
	}
	if name := (clusters.Spec{Provider: handle.Provider}).ProviderName(); name != s.Provider.Name {
		return fmt.Errorf("the cluster is of provider %q, not of %q", name, s.Provider.Name)
	}
	if can := handle.Capabilities; can.CanReadLogFiles && !can.CanExecOnNodes {
		return errors.New("log files on nodes can be read, and no commands be run there")
	}
	if (s.Denied != nil) != stated.CanCheckRights {
		return errors.New("Denied goes with CanCheckRights")
	}
	return nil
}

// errUndone is the outcome of an attempt that did nothing and refused nothing.
var errUndone = errors.New("nothing was done")

// kept says how the outcome of an attempt differs from what was stated: what can
// be done has no error, and what cannot has that of the capability.
func kept(can bool, do clusters.Capability, err error) error {
	if can && err != nil {
		return fmt.Errorf("states that it can %s: %w", do, err)
	}
	if !can && !errors.Is(err, &clusters.CapabilityError{Missing: do}) {
		return fmt.Errorf("states that it cannot %s, and the outcome is %v, want a *clusters.CapabilityError", do, err)
	}
	return nil
}

// attempt makes use of a capability of a cluster.
type attempt func(ctx context.Context, handle clusters.Handle) error

// attempts are by the capability that they make use of.
func (s Subject) attempts() map[clusters.Capability]attempt {
	return map[clusters.Capability]attempt{
		clusters.Configure: s.configure, clusters.AnswerBeforeRuns: s.answer, clusters.CheckRights: s.rights,
		clusters.ListOrphans: s.orphans, clusters.WatchNodes: s.watch, clusters.ExecOnNodes: s.exec,
		clusters.OperateNodes: s.operate, clusters.ReadLogFiles: s.logFiles,
		clusters.LoadImages: func(ctx context.Context, handle clusters.Handle) error {
			return s.Provisioner.LoadImages(ctx, handle, []string{s.Image}, func(string) {})
		},
	}
}

// configure looks whether the cluster has the version that the Spec asks for. A
// provider that cannot configure refuses what would.
func (s Subject) configure(_ context.Context, handle clusters.Handle) error {
	if why := s.Provider.RefusesArgument("feature_gates"); why != "" {
		return s.Provider.Lacks(handle.Name, clusters.Configure)
	}
	if handle.Version != s.Spec.Version {
		return fmt.Errorf("version %s, want %s", handle.Version, s.Spec.Version)
	}
	return nil
}

// answer asks for the version that the cluster has.
func (s Subject) answer(ctx context.Context, handle clusters.Handle) error {
	a, ok := s.Provisioner.(asker)
	if !ok {
		return s.Provider.Lacks(handle.Name, clusters.AnswerBeforeRuns)
	}
	answer, err := a.Ask(ctx, "", s.Spec)
	if err == nil && (answer.Version.String() != handle.Version || answer.Why == "") {
		return fmt.Errorf("answer %+v, and the cluster has %s", answer, handle.Version)
	}
	return err
}

// rights asks for a cluster without having the rights, which must fail.
func (s Subject) rights(ctx context.Context, handle clusters.Handle) error {
	if s.Denied == nil {
		return s.Provider.Lacks(handle.Name, clusters.CheckRights)
	}
	if _, err := s.Provisioner.Create(ctx, *s.Denied, s.IDs[0], handle.Kubeconfig+"-denied", func(string) {}); err == nil {
		return errors.New("a cluster was taken without the rights that are needed")
	}
	return nil
}

// orphans looks for the cluster among those that are there.
func (s Subject) orphans(ctx context.Context, handle clusters.Handle) error {
	l, ok := s.Provisioner.(lister)
	if !ok {
		return s.Provider.Lacks(handle.Name, clusters.ListOrphans)
	}
	all, err := l.Orphans(ctx)
	if err == nil && !slices.ContainsFunc(all, func(o clusters.Orphan) bool { return o.ID == handle.ID }) {
		return fmt.Errorf("%s is not among %v", handle.ID, all)
	}
	return err
}

// watch looks for the nodes.
func (s Subject) watch(_ context.Context, handle clusters.Handle) error {
	switch {
	case len(handle.Nodes) > 0 && handle.Capabilities.CanWatchNodes:
		return nil
	case len(handle.Nodes) == 0 || handle.Capabilities.CanExecOnNodes: // nodes that can be reached are known
		return s.Provider.Lacks(handle.Name, clusters.WatchNodes)
	}
	return errUndone
}

// node is a node of the cluster; if none is known, a name.
func node(handle clusters.Handle) string {
	if len(handle.Nodes) == 0 {
		return "unknown"
	}
	return handle.Nodes[0].Name
}

func (s Subject) exec(ctx context.Context, handle clusters.Handle) error {
	return s.Nodes(handle).NodeExec(ctx, node(handle), nil, nil, nil, "true")
}

// logFiles looks for the folder of the containers' logs.
func (s Subject) logFiles(ctx context.Context, handle clusters.Handle) error {
	if !handle.Capabilities.CanReadLogFiles {
		return s.Provider.Lacks(handle.Name, clusters.ReadLogFiles)
	}
	return s.Nodes(handle).NodeExec(ctx, node(handle), nil, nil, nil, "test", "-d", "/var/log/pods")
}

// operate pauses a node and lets it go on.
func (s Subject) operate(ctx context.Context, handle clusters.Handle) error {
	nodes := s.Nodes(handle)
	for _, step := range []struct{ action, state string }{{"pause", "paused"}, {"unpause", "running"}} {
		if err := nodes.NodeAction(ctx, node(handle), step.action); err != nil {
			return err
		}
		if state, err := nodes.NodeState(ctx, node(handle)); err != nil || state != step.state {
			return fmt.Errorf("after %s the node is %q, %w", step.action, state, err)
		}
	}
	return nil
}

// reuse releases a cluster and acquires it again, or looks whether a pool could.
func (s Subject) reuse(t *testing.T) {
	if err := kept(s.Provisioner.Capabilities(s.Spec).CanReuse, clusters.Reuse, s.again(t)); err != nil {
		t.Error(err)
	}
}

func (s Subject) again(t *testing.T) error {
	if maker, ok := s.Provisioner.(reuser); ok {
		first, err := maker.Fingerprint(t.Context(), s.Spec)
		second, again := maker.Fingerprint(t.Context(), s.Spec)
		if err = errors.Join(err, again); err == nil && (first == "" || first != second) {
			return fmt.Errorf("fingerprints %q and %q of one Spec", first, second)
		}
		return err
	}
	pool, ok := s.Provisioner.(releaser)
	if !ok {
		return s.Provider.Lacks(s.Spec.Name, clusters.Reuse)
	}
	var last clusters.Handle
	for i, id := range s.IDs[3:5] {
		handle, err := s.Provisioner.Create(t.Context(), s.Spec, id, s.kubeconfig(t), func(string) {})
		if err != nil {
			return err
		}
		if i > 0 && (!handle.Reused || handle.ID != last.ID) {
			return fmt.Errorf("cluster %s is not %s, which was released", handle.ID, last.ID)
		}
		last = handle
		s.usable(t, handle, "a cluster to be released")
		if _, err := pool.Release(t.Context(), id, "", func(string) {}); err != nil {
			return err
		}
	}
	return s.Provisioner.Destroy(t.Context(), last.ID)
}
