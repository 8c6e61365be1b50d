package schema

func scenario(steps []*Block) *Block {
	return &Block{
		Type: "scenario", Labels: []string{"name"},
		Summary: "An ordered list of steps and expectations. It runs once on each of its clusters and for each row of its matrix.",
		Doc: "The steps run in the order in which they are written. Each run has its own namespace, and names refer to objects in it. " +
			"If a step fails, the run ends: later steps are skipped, except those in finally. If an expectation fails, the run continues.",
		Example: `scenario "native" {
  clusters = [cluster.v128, cluster.v129]

  apply "job" { manifests = [file("native.yaml")] }

  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "60s"
  }
}`,
		Arguments: []Argument{
			{Name: "description", Type: "string", Stage: Load, Doc: "What the scenario shows, in one sentence."},
			{Name: "clusters", Type: "list(cluster)", Required: true, Stage: Load, Doc: "The clusters to run on, such as [cluster.v128], or values(cluster.all) for all clusters of a for_each."},
		},
		Blocks: append([]*Block{
			locals("the scenario's locals", "They are evaluated where they are used. They can use target and everything observed."),
			matrix(), finally(steps),
		}, steps...),
	}
}

func matrix() *Block {
	return &Block{
		Type: "matrix", Unique: true, Free: true,
		Summary: "Runs the scenario for each combination of the values of some axes. Expressions refer to the value of an axis as matrix.AXIS.",
		Doc:     "Every argument is an axis: the list of its values. A row is a combination of one value from each axis.",
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
			{Type: "exclude", Free: true, Summary: "Removes the rows that have all the given values."},
			{Type: "include", Free: true, Summary: "Adds a row after the exclusions. It must have a value for every axis."},
		},
	}
}

func finally(steps []*Block) *Block {
	var done []*Block
	for _, step := range steps {
		if !step.Verdict {
			done = append(done, step)
		}
	}
	return &Block{
		Type: "finally", Unique: true,
		Summary: "Steps that run after all others, even if a step failed or the run was interrupted.",
		Doc:     "If a step in it fails, the other steps run anyway.",
		Example: `finally {
  node "back" { action = "uncordon" }
}`,
		Blocks: done,
	}
}
