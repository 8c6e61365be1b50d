package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// stage is one step of a build, with all that its result depends on.
type stage struct {
	// kind names what it makes, such as "containerd"; name says it for people,
	// such as "containerd 2.3.4".
	kind, name string
	inputs     []string
	// run makes it in the empty folder dir.
	run func(ctx context.Context, dir string, say func(string)) error
}

// key is the hash of the stage's inputs.
func (s stage) key() string { return stageKey(s.kind, s.inputs) }

// builder makes one node image, stage by stage. The build lock must be held.
type builder struct {
	store    store
	progress Progress
	beat     time.Duration
	image    string

	step, steps int
}

// made returns the folder of a stage, which is built unless it is there.
func (b *builder) made(ctx context.Context, s stage) (string, error) {
	b.step++
	key := s.key()
	event := Event{Image: b.image, Stage: s.name, Step: b.step, Steps: b.steps}
	if dir, ok := b.store.find(s.kind, key); ok {
		if b.progress != nil {
			event.State = Cached
			b.progress(event)
		}
		return dir, nil
	}
	begun := time.Now()
	p := startPulse(b.progress, event, b.beat)
	dir, err := b.fresh(ctx, s, key, begun, p.say)
	p.end(err == nil, "")
	if err != nil {
		return "", fmt.Errorf("building %s: %w", s.name, err)
	}
	return dir, nil
}

// fresh builds a stage. What it had made is removed where it fails.
func (b *builder) fresh(ctx context.Context, s stage, key string, begun time.Time, say func(string)) (string, error) {
	part, err := b.store.begin(s.kind, key)
	if err != nil {
		return "", err
	}
	if err := s.run(ctx, part, say); err != nil {
		return "", errors.Join(spaceError(err), removeTree(part))
	}
	if err := ctx.Err(); err != nil {
		return "", errors.Join(err, removeTree(part))
	}
	now := time.Now()
	dir, err := b.store.finish(part, stageMeta{
		Name: s.name, Kind: s.kind, Key: key, Inputs: s.inputs, Built: now.UTC(), Seconds: now.Sub(begun).Seconds(),
	})
	if err != nil {
		return "", errors.Join(err, removeTree(part))
	}
	return dir, nil
}

// acted runs a step whose result is not in the cache but in the engine.
func (b *builder) acted(ctx context.Context, name string, act func(ctx context.Context, say func(string)) error) error {
	b.step++
	p := startPulse(b.progress, Event{Image: b.image, Stage: name, Step: b.step, Steps: b.steps}, b.beat)
	err := act(ctx, p.say)
	p.end(err == nil, "")
	if err != nil {
		return fmt.Errorf("building %s: %w", name, spaceError(err))
	}
	return nil
}

// recipe makes node images out of Go modules and Debian packages.
type recipe struct {
	engine  engine
	store   store
	tool    goTool
	debian  debian
	kind    string // version of the kind module; empty for the one built with
	modules moduleSource
}

// recipeSteps is how many steps make a node image.
const recipeSteps = 12

// nodeImage builds the node image of a version and gives it the name image.
func (r *recipe) nodeImage(ctx context.Context, b *builder, v clusters.Version) error {
	b.steps = recipeSteps
	release, err := r.fetch(ctx, b, v)
	if err != nil {
		return err
	}
	shared, err := r.shared(ctx, b, release)
	if err != nil {
		return err
	}
	kube, err := b.made(ctx, r.goStage(release.goVersion, "kubernetes", kubernetesStage(v), release.kubernetes))
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
		program      func(goModule) program
		dir          *string
	}{
		{"etcd", etcdModule, etcdProgram, &p.etcd},
		{"coredns", corednsModule, corednsProgram, &p.coredns},
	} {
		m, err := r.companion(ctx, list, c.name, c.module)
		if err != nil {
			return err
		}
		versions[c.name] = m.Version
		if *c.dir, err = b.made(ctx, r.goStage(release.goVersion, c.name, c.name+" "+m.Version, c.program(m))); err != nil {
			return err
		}
	}
	versions["kubernetes"] = "v" + v.String()
	return r.assemble(ctx, b, assembly{parts: p, shared: shared, images: list, sandbox: release.facts.sandboxImage, version: v, versions: versions})
}

// kubernetesStage is what the stage of a release is called.
func kubernetesStage(v clusters.Version) string { return "Kubernetes " + v.String() }

// release is what is known of a version before anything is built.
type release struct {
	kubernetes program
	facts      kindFacts
	goVersion  string
}

// fetch gets the modules that name all the others, and verifies that the
// release is whole.
func (r *recipe) fetch(ctx context.Context, b *builder, v clusters.Version) (release, error) {
	var rel release
	err := b.acted(ctx, "modules of Kubernetes "+v.String(), func(ctx context.Context, say func(string)) error {
		say("asking for the modules")
		m, stagingModules, err := r.modules.whole(ctx, v)
		if err != nil {
			return err
		}
		rel.kubernetes = kubernetesProgram(v, m, stagingModules)
		if rel.goVersion, err = r.tool.version(ctx); err != nil {
			return err
		}
		rel.facts, err = r.kindFacts(ctx)
		return err
	})
	return rel, err
}

// kindFacts reads the module kind in the version that this program was built
// with, or in the one that it was told.
func (r *recipe) kindFacts(ctx context.Context) (kindFacts, error) {
	version := r.kind
	if version == "" {
		var err error
		if version, err = pinnedKind(); err != nil {
			return kindFacts{}, err
		}
	}
	m, err := r.download(ctx, kindModule+"@"+version)
	if err != nil {
		return kindFacts{}, err
	}
	return readKind(version, m.Dir)
}

// download gets one module ("path@version").
func (r *recipe) download(ctx context.Context, module string) (goModule, error) {
	mods, err := r.tool.download(ctx, module)
	if err != nil {
		return goModule{}, err
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return goModule{}, fmt.Errorf("downloading %s: %s", module, firstError(mods))
	}
	return mods[0], nil
}

// goStage compiles a program into the folder bin of its stage.
func (r *recipe) goStage(goVersion, kind, name string, p program) stage {
	return stage{
		kind: kind, name: name, inputs: append([]string{goVersion}, p.inputs()...),
		run: func(ctx context.Context, dir string, say func(string)) error {
			work, out := filepath.Join(dir, "work"), filepath.Join(dir, "bin")
			for _, d := range []string{work, out} {
				if err := os.MkdirAll(d, 0o755); err != nil {
					return fmt.Errorf("preparing a build: %w", err)
				}
			}
			if err := r.tool.build(ctx, p, work, out, say); err != nil {
				return err
			}
			return removeTree(work)
		},
	}
}

// sharedParts are the folders of the stages that all versions share.
type sharedParts struct {
	containerd, cni, crictl, flannel, guest, userland string
	// files are those of kind's base image.
	files []layerFile
	// versions say what is inside, for the image's labels.
	versions map[string]string
	// facts are where they come from.
	facts kindFacts
}

// shared builds what is the same for every version of Kubernetes.
func (r *recipe) shared(ctx context.Context, b *builder, rel release) (*sharedParts, error) {
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
		program                func(goModule) program
		dir                    *string
	}{
		{"containerd", containerdModule, "CONTAINERD_VERSION", containerdProgram, &s.containerd},
		{"cni", cniModule, "CNI_PLUGINS_VERSION", cniProgram, &s.cni},
		{"crictl", crictlModule, "CRICTL_VERSION", crictlProgram, &s.crictl},
	} {
		m, err := r.modules.pick(ctx, c.module, rel.facts.versions[c.argument])
		if err != nil {
			return nil, err
		}
		s.versions[c.name] = m.Version
		if *c.dir, err = b.made(ctx, r.goStage(rel.goVersion, c.name, c.name+" "+m.Version, c.program(m))); err != nil {
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
	s.guest, err = b.made(ctx, r.goStage(rel.goVersion, "guest", "pause", pause))
	return s, err
}

// flannelStage compiles the pod network.
func (r *recipe) flannelStage(ctx context.Context, b *builder, s *sharedParts, goVersion string) (string, error) {
	m, err := r.modules.pick(ctx, flannelModule, flannelVersion)
	if err != nil {
		return "", err
	}
	p, err := flannelProgram(m)
	if err != nil {
		return "", err
	}
	// By the label of it a node image is known to have this network.
	s.versions[strings.TrimPrefix(clusters.FlannelLabel, versionLabel)] = m.Version
	return b.made(ctx, r.goStage(goVersion, "flannel", "flannel "+m.Version, p))
}

// companion finds the module of a control plane's companion, in the version
// that kubeadm's list of images asks for or a shared one.
func (r *recipe) companion(ctx context.Context, list []string, name, module string) (goModule, error) {
	for _, ref := range list {
		image, err := splitImage(ref)
		if err != nil {
			return goModule{}, fmt.Errorf("reading kubeadm's list of images: %w", err)
		}
		if image.base() == name {
			return r.modules.pick(ctx, module, sharedVersion(module, image.moduleVersion()))
		}
	}
	return goModule{}, fmt.Errorf("%w: kubeadm's list of images has no %s", ErrCannotBuild, name)
}

// kubeadmImages are the images that this release's kubeadm asks for.
func kubeadmImages(ctx context.Context, kubernetes string, v clusters.Version) ([]string, error) {
	out, err := child{}.output(ctx, filepath.Join(kubernetes, "bin", "kubeadm"), "config", "images", "list", "--kubernetes-version", "v"+v.String())
	if err != nil {
		return nil, fmt.Errorf("asking kubeadm for its images: %w", err)
	}
	return outputLines(out), nil
}
