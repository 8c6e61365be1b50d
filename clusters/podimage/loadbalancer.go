package podimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/podimage/guest"
)

// balancerKind is the kind of the stage that makes the load balancer's image.
const balancerKind = "loadbalancer"

// YamlRequirement is what the load balancer reads its configuration with, as
// this module's go.mod names it.
const YamlRequirement = "sigs.k8s.io/yaml v1.6.0"

// isLoadBalancer says whether a reference is to the load balancer's image, in
// the one version that kind writes configurations for.
func isLoadBalancer(ref string) bool {
	parsed, err := name.NewTag(ref, name.WeakValidation)
	if err != nil {
		return false
	}
	wanted, err := name.NewTag(clusters.LoadBalancerImage, name.WeakValidation)
	return err == nil && parsed.Name() == wanted.Name()
}

// balancerProgram is the load balancer itself.
func balancerProgram() (gotool.Program, error) {
	p, err := gotool.FromSources(guest.Sources(), "envoy", gotool.GuestVersion)
	p.Requires = []string{YamlRequirement}
	return p, err
}

// buildLoadBalancer makes what stands in for the load balancer: our own program
// in the place of Envoy, and busybox for the shell and the commands with which
// kind starts and configures it.
func (p *Provider) buildLoadBalancer(ctx context.Context, ref string, progress build.Progress) error {
	balancer, err := balancerProgram()
	if err != nil {
		return err
	}
	version, err := p.debian.Candidate(ctx, busyboxPackage)
	if err != nil {
		return err
	}
	goVersion, err := p.tool.Version(ctx)
	if err != nil {
		return err
	}
	image := podImage{ref: ref, versions: map[string]string{"busybox": version, "go": goVersion}}
	image.stage = build.Stage{
		Kind: balancerKind, Name: "load balancer",
		Inputs: append([]string{goVersion, busyboxPackage, version, runtime.GOARCH, ref}, balancer.Inputs()...),
	}
	return p.buildPodImage(ctx, image, progress, func(ctx context.Context, dir string, say func(string)) ([]oci.File, v1.Config, error) {
		files, err := p.busybox(ctx, dir, say)
		if err != nil {
			return nil, v1.Config{}, err
		}
		work, out := filepath.Join(dir, "src"), filepath.Join(dir, "bin")
		for _, d := range []string{work, out} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				return nil, v1.Config{}, fmt.Errorf("preparing a build: %w", err)
			}
		}
		if err := p.tool.Build(ctx, balancer, work, out, say); err != nil {
			return nil, v1.Config{}, err
		}
		files = append(files,
			oci.Executable("usr/local/bin/envoy", filepath.Join(out, "envoy")),
			oci.File{Path: "bin/bash", Mode: 0o755, Data: []byte("#!/bin/sh\nexec /bin/sh \"$@\"\n")})
		return files, v1.Config{}, nil
	})
}
