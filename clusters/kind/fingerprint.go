package kind

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/kind-lab/lab/clusters"
)

// Fingerprint is the same for Specs of which Create would make the same
// cluster: the node image by its content, and all that is configured, what this
// host needs included. What a cluster is called, which images are loaded into it
// and how long it may take do not count. It is a sum in hexadecimal digits.
func (p *Provisioner) Fingerprint(ctx context.Context, spec clusters.Spec) (string, error) {
	cfg, err := config(spec, Prefix+"x", p.host)
	if err != nil {
		return "", err
	}
	node, err := p.ensureImage(ctx, spec.Image, func(string) {})
	if err != nil {
		return "", err
	}
	for i := range cfg.Nodes {
		cfg.Nodes[i].Image = node.id
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("summing up what a cluster is like: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}
