package schema

// Language returns the whole language: the block that stands for a file.
func Language() *Block {
	return &Block{
		Summary: "A scenario: one file that ends in .hcl or .hcl.json, or all of them in a folder that holds scenario.hcl.",
		Blocks:  []*Block{lab(), variable(), locals("the file's", "They may use var, other locals and the functions."), cluster(), scenario(), exercise()},
	}
}

func lab() *Block {
	return &Block{
		Type: "lab", Unique: true,
		Summary: "About the file itself.",
		Example: `lab {
  name             = "Sidecars in Jobs"
  required_version = ">= 0.1"
}`,
		Arguments: []Argument{
			{Name: "name", Type: "string", Stage: Load, Doc: "A title for people."},
			{Name: "description", Type: "string", Stage: Load, Doc: "What the lab shows, in a sentence or two."},
			{Name: "required_version", Type: "string", Stage: Load, Doc: "The versions of lab that it is made for, such as \">= 0.1\" or \"~> 1.2\"."},
		},
	}
}

func variable() *Block {
	return &Block{
		Type: "variable", Labels: []string{"name"},
		Summary: "An input of the file, read as var.NAME.",
		Doc: "Its value is taken from -var, else -var-file, else the environment variable LAB_VAR_NAME, else a file that ends in " +
			".auto.labvars in the scenario's folder (the last in the order of names wins), else its default. Without any of them it is an error.",
		Example: `variable "image" {
  type        = string
  default     = "busybox:1.35"
  description = "Image of both containers."
}`,
		Arguments: []Argument{
			{Name: "type", Type: "type", Default: "any", Stage: Load, Doc: "A type constraint as in Terraform, such as string, list(number) or object({ name = string })."},
			{Name: "default", Type: "any", Stage: Load, Doc: "The value where none is given. Without it one must be given."},
			{Name: "description", Type: "string", Stage: Load, Doc: "What the variable is for."},
			{Name: "sensitive", Type: "bool", Default: "false", Stage: Load, Doc: "Whether the value, and what is made of it, is masked in every output."},
		},
		Blocks: []*Block{{
			Type:    "validation",
			Summary: "A rule that the variable's value must keep.",
			Example: `validation {
  condition     = length(var.image) > 0
  error_message = "The image must have a name."
}`,
			Arguments: []Argument{
				{Name: "condition", Type: "condition", Required: true, Stage: Load, Doc: "True where the value is valid; it may use the variable itself and others."},
				{Name: "error_message", Type: "string", Required: true, Stage: Load, Doc: "What to tell where it is not."},
			},
		}},
	}
}

func locals(whose, more string) *Block {
	return &Block{
		Type: "locals", Free: true,
		Summary: "Names for expressions, read as local.NAME; " + whose + ".",
		Doc:     more,
		Example: `locals {
  main = "main-container-1"
}`,
	}
}

func cluster() *Block {
	return &Block{
		Type: "cluster", Labels: []string{"name"},
		Summary: "A cluster to run scenarios on, read as cluster.NAME in a scenario's clusters.",
		Doc: "It is made for the run and destroyed after it. What cannot work, such as a feature gate that the version does not have, is told before anything starts.\n\n" +
			"With provider = \"existing\" it is one that is there, in a context of a kubeconfig: scenarios run in namespaces of their own, which are deleted after them, or in the one that is named, " +
			"and nothing else is touched. Then kubernetes is optional, and checked against what the API server says; what says how a cluster is made cannot be written.",
		Example: `cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}`,
		Arguments: []Argument{
			{Name: "kubernetes", Type: "string", Stage: Load, Doc: "A version, such as \"1.28\" (the newest patch version of it that can be had), \"1.28.15\" or a constraint such as \"~> 1.28\". Required, but for a cluster that exists: that one must be of it."},
			{Name: "for_each", Type: "map or set of strings", Stage: Load, Doc: "Makes a cluster for each element: cluster.NAME[\"key\"]. In the block each.key and each.value are the element's."},
			{Name: "provider", Type: "string", Default: `"kind"`, Values: []string{"kind", "existing"}, Stage: Load, Doc: "Who has the cluster: \"kind\" makes it, \"existing\" takes one that is there."},
			{Name: "kubeconfig", Type: "string", Stage: Load, Doc: "With the provider \"existing\": the kubeconfig file, from the scenario's folder or from ~; without it what kubectl takes, KUBECONFIG or ~/.kube/config."},
			{Name: "context", Type: "string", Stage: Load, Doc: "With the provider \"existing\": the context in the kubeconfig; without it the current one."},
			{Name: "namespace", Type: "string", Stage: Load, Doc: "With the provider \"existing\": a namespace that is there and in which all scenarios run, for who has rights in that one alone; without it each has one of its own."},
			{Name: "node_access", Type: "string", Stage: Load, Doc: "With the provider \"existing\": an image with sh and nsenter, such as \"busybox:1.35\". A privileged pod of it on every node, for as long as the run goes on, tells when containers start and end to the nanosecond, and lets steps send signals and run commands on nodes. Without it the nodes are left alone."},
			{Name: "image", Type: "string", Stage: Load, Doc: "A node image to use instead of the one found for the version."},
			{Name: "feature_gates", Type: "map(bool)", Default: "{}", Stage: Load, Doc: "Feature gates of all components."},
			{Name: "runtime_config", Type: "map(string)", Default: "{}", Stage: Load, Doc: "The API server's --runtime-config, such as { \"api/alpha\" = \"true\" }."},
			{Name: "control_planes", Type: "number", Default: "1", Stage: Load, Doc: "The number of control plane nodes."},
			{Name: "workers", Type: "number", Default: "0", Stage: Load, Doc: "The number of workers. Without any, pods run on the control plane."},
			{Name: "images", Type: "list(string)", Default: "[]", Stage: Load, Doc: "Container images to put on the nodes beside those of the manifests."},
			{Name: "containerd_patches", Type: "list(string)", Default: "[]", Stage: Load, Doc: "TOML merged into containerd's configuration, as kind's containerdConfigPatches."},
			{Name: "kubeadm_patches", Type: "list(string)", Default: "[]", Stage: Load, Doc: "YAML merged into kubeadm's configuration, as kind's kubeadmConfigPatches."},
			{Name: "ready_timeout", Type: "duration", Default: `"5m"`, Stage: Load, Doc: "How long the cluster may take to be ready."},
		},
		Blocks: []*Block{{
			Type: "component", Labels: []string{"name"},
			Summary: "Settings of one component: kube-apiserver, kube-controller-manager, kube-scheduler or kubelet.",
			Example: `component "kubelet" {
  feature_gates = { SidecarContainers = false }
  extra_args    = { "v" = "4" }
}`,
			Arguments: []Argument{
				{Name: "feature_gates", Type: "map(bool)", Default: "{}", Stage: Load, Doc: "Feature gates of this component; they win over the cluster's."},
				{Name: "extra_args", Type: "map(string)", Default: "{}", Stage: Load, Doc: "Command line flags, without the dashes."},
			},
		}},
	}
}

func exercise() *Block {
	return &Block{
		Type: "exercise", Labels: []string{"name"}, Later: true,
		Summary: "A workshop exercise built on a scenario. Not in this version yet.",
	}
}
