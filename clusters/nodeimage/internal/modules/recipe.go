package modules

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// RecipeSteps is how many steps make a node image.
const RecipeSteps = 12

// Build builds the node image of a version and gives it the name image.
func (r *Recipe) Build(ctx context.Context, b *build.Builder, v clusters.Version) error {
	if err := r.checkSpace(ctx, v); err != nil {
		return err
	}
	b.Steps = RecipeSteps
	release, err := r.fetch(ctx, b, v)
	if err != nil {
		return err
	}
	shared, err := r.shared(ctx, b, release)
	if err != nil {
		return err
	}
	kube, err := b.Stage(ctx, r.Tool.Stage(release.goVersion, "kubernetes", kubernetesStage(v), release.kubernetes))
	if err != nil {
		return err
	}
	list, err := kubeadmImages(ctx, kube, v)
	if err != nil {
		return err
	}
	p := parts{kubernetes: kube, guest: shared.guest, userland: shared.userland}
	versions := shared.versions
	for _, c := range []struct {
		name, module string
		program      func(gotool.Module) gotool.Program
		dir          *string
	}{
		{"etcd", EtcdModule, etcdProgram, &p.etcd},
		{"coredns", CorednsModule, corednsProgram, &p.coredns},
	} {
		m, err := r.companion(ctx, list, c.name, c.module)
		if err != nil {
			return err
		}
		versions[c.name] = m.Version
		if *c.dir, err = b.Stage(ctx, r.Tool.Stage(release.goVersion, c.name, c.name+" "+m.Version, c.program(m))); err != nil {
			return err
		}
	}
	versions["kubernetes"] = "v" + v.String()
	return r.assemble(ctx, b, assembly{parts: p, shared: shared, images: list, sandbox: release.facts.sandboxImage, version: v, versions: versions})
}

// release is what is known of a version before anything is built.
type release struct {
	kubernetes gotool.Program
	facts      kindFacts
	goVersion  string
}

// fetch gets the modules that name all the others, and verifies that the
// release is whole.
func (r *Recipe) fetch(ctx context.Context, b *build.Builder, v clusters.Version) (release, error) {
	var rel release
	err := b.Step(ctx, "modules of Kubernetes "+v.String(), func(ctx context.Context, say func(string)) error {
		say("asking for the modules")
		m, stagingModules, err := r.whole(ctx, v)
		if err != nil {
			return err
		}
		rel.kubernetes = kubernetesProgram(v, m, stagingModules)
		if rel.goVersion, err = r.Tool.Version(ctx); err != nil {
			return err
		}
		rel.facts, err = r.kindFacts(ctx)
		return err
	})
	return rel, err
}

// companion finds the module of a control plane's companion, in the version
// that kubeadm's list of images asks for or a shared one.
func (r *Recipe) companion(ctx context.Context, list []string, name, module string) (gotool.Module, error) {
	for _, ref := range list {
		image, err := oci.SplitName(ref)
		if err != nil {
			return gotool.Module{}, fmt.Errorf("reading kubeadm's list of images: %w", err)
		}
		if image.Base() == name {
			return r.Tool.Pick(ctx, module, sharedVersion(module, image.ModuleVersion()))
		}
	}
	return gotool.Module{}, fmt.Errorf("%w: kubeadm's list of images has no %s", build.ErrCannotBuild, name)
}

// kubeadmImages are the images that this release's kubeadm asks for.
func kubeadmImages(ctx context.Context, kubernetes string, v clusters.Version) ([]string, error) {
	out, err := build.Child{}.Output(ctx, filepath.Join(kubernetes, "bin", "kubeadm"), "config", "images", "list", "--kubernetes-version", "v"+v.String())
	if err != nil {
		return nil, fmt.Errorf("asking kubeadm for its images: %w", err)
	}
	return build.OutputLines(out), nil
}
