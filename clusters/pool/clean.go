package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

const (
	// cleanLimit bounds the wait until all that was made is gone.
	cleanLimit = 60 * time.Second
	// cleanLook is how long it takes until it is looked at again.
	cleanLook = 200 * time.Millisecond
)

// clean deletes what was made on a cluster since it was new, and returns once
// it is gone and nothing else differs. The error says what does.
func (p *Pool) clean(ctx context.Context, m *member) error {
	api, err := p.options.Connect(m.kubeconfig())
	if err != nil {
		return err
	}
	before, err := m.baseline()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cleanLimit)
	defer cancel()
	asked := map[Object]bool{}
	for {
		now, err := api.Objects(ctx)
		if err != nil {
			return fmt.Errorf("what is on it is unknown: %w", err)
		}
		d := now.since(before)
		if len(d.added) == 0 {
			if text := d.beyond(); text != "" {
				return errors.New(text)
			}
			return p.tidy(ctx, m)
		}
		if err := remove(ctx, api, d.added, asked); err != nil {
			return err
		}
		for _, namespace := range emptied(d.added, asked) {
			if err := api.Finish(ctx, namespace); err != nil {
				return err
			}
		}
		if clusters.Pause(ctx, cleanLook) != nil {
			return leftOver(context.WithoutCancel(ctx), api, d.added)
		}
	}
}

// tidyUp removes from a node what its kubelet keeps of pods that are gone, for a
// minute and longer: their sandboxes and containers, and their logs. Who reads
// the next run's from the runtime and the files would take them for that one's.
// The kubelet may be about to remove the same ones, and a busy machine take its
// time.
const tidyUp = `
cri() { crictl --timeout 30s "$@"; }
tries=0
while stopped=$(cri pods --quiet --no-trunc --state NotReady) || exit 1; [ -n "$stopped" ]; do
  cri rmp $stopped >/dev/null && break
  tries=$((tries + 1))
  [ "$tries" -lt 5 ] || exit 1
  sleep 1
done
here=$(cri pods --output json | jq --raw-output '.items[].metadata.uid') || exit 1
for logs in /var/log/pods/*; do
  case "
$here
" in *"
${logs##*_}
"*) ;; *) rm -rf "$logs" ;; esac
done
find /var/log/containers -xtype l -delete
`

// tidy makes the nodes forget pods that are gone.
func (p *Pool) tidy(ctx context.Context, m *member) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range m.Handle.Nodes {
		group.Go(func() error {
			if err := p.script(ctx, node, tidyUp); err != nil {
				return fmt.Errorf("what its runtime keeps of pods that are gone cannot be removed: %w", err)
			}
			return nil
		})
	}
	return group.Wait()
}

// remove asks for the deletion of what was not asked for yet, in an order in
// which one thing does not keep another from going: what stands between the API
// server and its objects first, namespaces with all in them, then the rest.
func remove(ctx context.Context, api API, added []Object, asked map[Object]bool) error {
	going := map[string]bool{}
	for _, o := range added {
		if o.Group == "" && o.Resource == "namespaces" {
			going[o.Name] = true
		}
	}
	order := slices.Clone(added)
	slices.SortStableFunc(order, func(a, b Object) int { return rank(a) - rank(b) })
	for _, o := range order {
		if asked[o] || going[o.Namespace] {
			continue
		}
		if err := api.Delete(ctx, o); err != nil {
			return fmt.Errorf("%s cannot be deleted: %w", o, err)
		}
		asked[o] = true
	}
	return nil
}

// emptied are the namespaces among the objects that were asked to go and in which
// nothing is any more.
func emptied(added []Object, asked map[Object]bool) []string {
	full := map[string]bool{}
	for _, o := range added {
		full[o.Namespace] = true
	}
	var list []string
	for _, o := range added {
		if o.Group == "" && o.Resource == "namespaces" && asked[o] && !full[o.Name] {
			list = append(list, o.Name)
		}
	}
	return list
}

func rank(o Object) int {
	switch {
	case o.Resource == "validatingwebhookconfigurations", o.Resource == "mutatingwebhookconfigurations",
		o.Resource == "validatingadmissionpolicybindings", o.Resource == "mutatingadmissionpolicybindings", o.Resource == "apiservices":
		return 0
	case o.Group == "" && o.Resource == "namespaces":
		return 1
	case o.Resource == "customresourcedefinitions":
		return 3
	}
	return 2
}

// leftOver says what does not go away, and why.
func leftOver(ctx context.Context, api API, added []Object) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, o := range added {
		if why := api.Stuck(ctx, o); why != "" {
			return fmt.Errorf("%s is still there after %s: %s", o, cleanLimit, why)
		}
	}
	return fmt.Errorf("still there after %s: %s", cleanLimit, few(added))
}
