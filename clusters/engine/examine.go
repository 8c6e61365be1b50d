package engine

import (
	"context"
	"errors"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/procfs"
)

// Options say how Examine works. The zero value examines the engine that
// Detect finds.
type Options struct {
	// Getenv looks up environment variables; nil means the process's own.
	Getenv func(string) string
	// RegistryImage is what the registry is asked for; "" means
	// DefaultRegistryImage.
	RegistryImage string
	// Progress receives what is being tried, in a few words; it may be nil. It
	// is called from one goroutine at a time.
	Progress func(string)
}

func (o Options) tell(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

// Examine tries whatever a cluster needs of the container engine and its
// host. What does not work is in the report, an engine that does not answer
// included; the error tells of a context that ended, or of a probe that could
// not be removed again, and the report is as whole as it could be. It takes a
// few seconds, ten where no registry answers.
func Examine(ctx context.Context, o Options) (Report, error) {
	return examine(ctx, o, realGround(o.Getenv))
}

func examine(ctx context.Context, o Options, g ground) (Report, error) {
	o.tell("asking the container engines")
	e, facts, err := detect(ctx, g.getenv)
	if err != nil {
		return newReport([]Finding{noEngineFinding(err)}), ctx.Err()
	}
	if o.RegistryImage == "" {
		o.RegistryImage = DefaultRegistryImage
	}
	o.tell("asking the registry for an image, and starting a privileged container")
	registry := make(chan Finding, 1)
	go func() { registry <- askRegistry(ctx, e, o.RegistryImage, g.registryPatience) }()
	tried, trialErr := newTrial(e, facts, g).run(ctx)
	o.tell("waiting for the registry's answer")
	registryFinding := <-registry

	host, hostErr := hostFrom(facts, g)
	seen := sightOf(tried.seen, facts, g, &host)
	available, memoryErr := availableMemory(facts, g)
	folder, free, diskErr := freeDisk(facts, g)
	report := newReport([]Finding{
		engineFinding(program(e), facts),
		tried.privileged,
		tried.exec,
		cgroupFinding(facts),
		capabilitiesFinding(host, seen != nil),
		inotifyFinding(seen),
		storageFinding(facts),
		diskFinding(folder, free, diskErr),
		memoryFinding(facts.memory, available, memoryErr),
		registryFinding,
	})
	report.Host = &host
	report.Engine = engineFacts(e, facts, g)
	return report, errors.Join(trialErr, hostErr, ctx.Err())
}

func engineFacts(e clusters.Engine, facts info, g ground) *Examined {
	return &Examined{
		Name: e.Name, Version: facts.version, Storage: facts.storage, Runtime: facts.defaultRuntime,
		Rootless: facts.rootless, Local: g.isLocal(facts),
	}
}

// sightOf returns what is to be known of the engine's machine: from its own
// files where the engine is here, else what a container in it saw, which then
// completes host; nil where neither can tell.
func sightOf(inContainer *facts, engine info, g ground, host *clusters.Host) *facts {
	if g.isLocal(engine) {
		if here, err := readFacts(g); err == nil {
			return &here
		}
	}
	if inContainer != nil {
		host.MissingCapabilities = inContainer.Missing
	}
	return inContainer
}

// errElsewhere tells that this machine's files do not tell of the engine's.
var errElsewhere = errors.New("the engine is not on this machine")

func availableMemory(facts info, g ground) (int64, error) {
	if !g.isLocal(facts) {
		return 0, errElsewhere
	}
	return procfs.AvailableMemory(g.proc)
}

func freeDisk(facts info, g ground) (folder string, free int64, err error) {
	if !g.isLocal(facts) || facts.rootDir == "" {
		return facts.rootDir, 0, errElsewhere
	}
	free, err = g.free(facts.rootDir)
	return facts.rootDir, free, err
}
