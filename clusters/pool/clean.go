package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
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
			return fmt.Errorf("what is on it cannot be told: %w", err)
		}
		d := now.since(before)
		if len(d.added) == 0 {
			if text := d.beyond(); text != "" {
				return errors.New(text)
			}
			return nil
		}
		if err := remove(ctx, api, d.added, asked); err != nil {
			return err
		}
		timer := time.NewTimer(cleanLook)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return leftOver(context.WithoutCancel(ctx), api, d.added)
		}
	}
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
