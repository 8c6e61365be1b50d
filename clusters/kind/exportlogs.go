package kind

import (
	"context"
	"fmt"
)

// ExportLogs writes what the cluster's nodes logged into a folder, one for each
// node below it, as `kind export logs` does: the journal, the kubelet, the
// container runtime, the pods' logs. The library's commands know no context:
// where ctx ends before them they go on, to their own end.
func (p *Provisioner) ExportLogs(ctx context.Context, id, dir string) error {
	provider, err := p.provider(newLogger(func(string) {}))
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- provider.CollectLogs(id, dir) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("exporting the logs of %s to %s: %w", id, dir, err)
	}
	return nil
}
