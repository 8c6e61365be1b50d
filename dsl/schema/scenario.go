package schema

func scenario() *Block {
	steps := append(actions(), expect(), invariant())
	return &Block{
		Type: "scenario", Labels: []string{"name"},
		Summary: "An ordered script, run once on each of its clusters and for each row of its matrix.",
		Doc: "Its steps are done in the order they are written. Each run has a namespace of its own, in which names are looked up. " +
			"A step that cannot be done ends the run: what comes after it is skipped, but for finally. An expectation that is not met does not end it.",
		Example: `scenario "native" {
  clusters = [cluster.v128, cluster.v129]

  apply "job" { manifests = [file("native.yaml")] }

  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "60s"
  }
}`,
		Arguments: []Argument{
			{Name: "description", Type: "string", Stage: Load, Doc: "What the scenario shows, in a sentence."},
			{Name: "clusters", Type: "list(cluster)", Required: true, Stage: Load, Doc: "The clusters to run on, such as [cluster.v128], or values(cluster.all) for those of a for_each."},
		},
		Blocks: append([]*Block{
			locals("the scenario's own", "They are evaluated where they are used, and may use target and everything observed."),
			matrix(), finally(),
		}, steps...),
	}
}

func matrix() *Block {
	return &Block{
		Type: "matrix", Unique: true, Free: true,
		Summary: "Runs the scenario for each combination of some values, read as matrix.AXIS.",
		Doc:     "Every argument is an axis: a list of its values. A row is one combination of a value of each axis.",
		Example: `matrix {
  grace = [5, 30]
  image = ["busybox:1.35", "busybox:1.36"]

  exclude { grace = 30 }
  include {
    grace = 60
    image = "busybox:1.35"
  }
}`,
		Blocks: []*Block{
			{Type: "exclude", Free: true, Summary: "Takes out the rows that have all the values named here."},
			{Type: "include", Free: true, Summary: "Adds a row after those that are excluded; it must name every axis."},
		},
	}
}

func finally() *Block {
	return &Block{
		Type: "finally", Unique: true,
		Summary: "Steps that are done after all others, whatever happened, interruption included.",
		Doc:     "A step in it that cannot be done does not keep the others from being done.",
		Example: `finally {
  node "back" { action = "uncordon" }
}`,
		Blocks: actions(),
	}
}

func expect() *Block {
	return &Block{
		Type: "expect", Labels: []string{"name"}, Step: true,
		Summary: "An expectation over what was observed, decided before the next step begins.",
		Doc: "With within the condition must become true in that time; with hold it must stay true that long from when it is first true " +
			"(from now, without within); with neither it must be true now, when the sources have been asked. What was not observed yet is unknown, " +
			"and the expectation waits for it: without within up to 10 s. It is Error if what was not seen could change the verdict.",
		Example: `expect "the main container exits 0" {
  condition = job.myapp.pod.container["main"].exit_code == 0
  within    = "60s"
}`,
		Arguments: []Argument{
			{Name: "condition", Type: "condition", Required: true, Stage: Judge, Doc: "What is expected: true, false, or not yet known."},
			{Name: "within", Type: "duration", Stage: Load, Doc: "It must become true in that time."},
			{Name: "hold", Type: "duration", Stage: Load, Doc: "It must stay true that long from when it is first true."},
			{Name: "outcome", Type: "condition", Default: "true", Stage: Judge, Doc: "Whether the condition is expected to come true. false with within: it must stay not true the whole time."},
			{Name: "when", Type: "condition", Default: "true", Stage: Judge, Doc: "Whether to decide it at all; where it is false the expectation is skipped, and it is said why."},
			{Name: "message", Type: "string", Stage: Judge, Doc: "What to tell where the verdict is not the expected one."},
		},
	}
}

func invariant() *Block {
	return &Block{
		Type: "invariant", Labels: []string{"name"}, Step: true,
		Summary: "Must not be false at any observation from here to the scenario's end.",
		Doc:     "It does not hold up the steps after it. Its verdict comes at the end, or when it is broken. finally comes after the end.",
		Example: `invariant "the proxy never restarts" {
  condition = pod.web.container["proxy"].restarts == 0
}`,
		Arguments: []Argument{
			{Name: "condition", Type: "condition", Required: true, Stage: Judge, Doc: "What must hold. Unknown does not break it; if a gap may hide that it was false, the verdict is Error."},
			{Name: "when", Type: "condition", Default: "true", Stage: Judge, Doc: "Whether to watch it at all; where it is false the invariant is skipped."},
			{Name: "message", Type: "string", Stage: Judge, Doc: "What to tell where it is broken."},
		},
	}
}
