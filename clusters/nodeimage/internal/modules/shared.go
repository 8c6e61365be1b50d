package modules

import (
	"context"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
)

// shared builds what is the same for every version of Kubernetes.
func (r *Recipe) shared(ctx context.Context, b *build.Builder, rel release) (*sharedParts, error) {
	s := &sharedParts{facts: rel.facts, versions: map[string]string{"kind": rel.facts.version, "go": rel.goVersion}}
	var err error
	if s.files, err = rel.facts.baseFiles(); err != nil {
		return nil, err
	}
	if s.userland, err = r.userlandStage(ctx, b, s); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name, module, argument string
		program                func(gotool.Module) gotool.Program
		dir                    *string
	}{
		{"containerd", ContainerdModule, "CONTAINERD_VERSION", containerdProgram, &s.containerd},
		{"cni", CniModule, "CNI_PLUGINS_VERSION", cniProgram, &s.cni},
		{"crictl", CrictlModule, "CRICTL_VERSION", crictlProgram, &s.crictl},
	} {
		m, err := r.Tool.Pick(ctx, c.module, rel.facts.versions[c.argument])
		if err != nil {
			return nil, err
		}
		s.versions[c.name] = m.Version
		if *c.dir, err = b.Stage(ctx, r.Tool.Stage(rel.goVersion, c.name, c.name+" "+m.Version, c.program(m))); err != nil {
			return nil, err
		}
	}
	if s.flannel, err = r.flannelStage(ctx, b, s, rel.goVersion); err != nil {
		return nil, err
	}
	pause, err := pauseProgram()
	if err != nil {
		return nil, err
	}
	s.guest, err = b.Stage(ctx, r.Tool.Stage(rel.goVersion, "guest", "pause", pause))
	return s, err
}

// flannelStage compiles the pod network.
func (r *Recipe) flannelStage(ctx context.Context, b *build.Builder, s *sharedParts, goVersion string) (string, error) {
	m, err := r.Tool.Pick(ctx, FlannelModule, FlannelVersion)
	if err != nil {
		return "", err
	}
	p, err := flannelProgram(m)
	if err != nil {
		return "", err
	}
	// By the label of it a node image is known to have this network.
	s.versions[strings.TrimPrefix(clusters.FlannelLabel, images.VersionLabel)] = m.Version
	return b.Stage(ctx, r.Tool.Stage(goVersion, "flannel", "flannel "+m.Version, p))
}
