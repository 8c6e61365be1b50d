package schema

import "slices"

// Language returns the language with the given steps of scenarios. The block
// that it returns is the file itself.
func Language(steps []*Block) *Block {
	return &Block{
		Summary: "A scenario: one file that ends in .hcl or .hcl.json, or all of them in a folder that holds scenario.hcl.",
		Blocks:  []*Block{lab(), variable(), locals("the file's locals", "They can use var, other locals and functions."), cluster(), scenario(steps), exercise()},
	}
}

func lab() *Block {
	return &Block{
		Type: "lab", Unique: true,
		Summary: "Settings of the file itself.",
		Example: `lab {
  name             = "Sidecars in Jobs"
  required_version = ">= 0.1"
}`,
		Arguments: []Argument{
			{Name: "name", Type: "string", Stage: Load, Doc: "The title of the lab."},
			{Name: "description", Type: "string", Stage: Load, Doc: "What the lab shows, in one or two sentences."},
			{Name: "required_version", Type: "string", Stage: Load, Doc: "The versions of lab that the file works with, such as \">= 0.1\" or \"~> 1.2\"."},
			{Name: ClusterSetsArgument, Type: "list(string)", Default: "[]", Stage: Load, Doc: "The cluster sets to use, such as [\"standard\"]. They come with lab. Their clusters work as if they were declared in the file: cluster.NAME refers to one, " +
				"and the file can declare more clusters. Write the names as plain strings. `lab explain cluster_sets` lists the sets."},
		},
	}
}

func variable() *Block {
	return &Block{
		Type: "variable", Labels: []string{"name"},
		Summary: "An input of the file. Expressions refer to it as var.NAME.",
		Doc: "lab takes the value from the first of these that has one: --var, --var-file, the environment variable LAB_VAR_NAME, a file that ends in " +
			".auto.labvars in the scenario's folder (if there are several, the last by name wins), the default. If none has a value, this is an error.",
		Example: `variable "image" {
  type        = string
  default     = "busybox:1.35"
  description = "Image of both containers."
}`,
		Arguments: []Argument{
			{Name: "type", Type: "type", Default: "any", Stage: Load, Doc: "A type constraint as in Terraform, such as string, list(number) or object({ name = string })."},
			{Name: "default", Type: "any", Stage: Load, Doc: "The value if no other is given. A variable without a default needs a value."},
			{Name: "description", Type: "string", Stage: Load, Doc: "The purpose of the variable."},
			{Name: "sensitive", Type: "bool", Default: "false", Stage: Load, Doc: "Whether lab masks the value, and every value computed from it, in all output."},
		},
		Blocks: []*Block{{
			Type:    "validation",
			Summary: "A rule for the value of the variable.",
			Example: `validation {
  condition     = length(var.image) > 0
  error_message = "The image must have a name."
}`,
			Arguments: []Argument{
				{Name: "condition", Type: "condition", Required: true, Stage: Load, Doc: "True if the value is valid. It can use the variable itself and other variables."},
				{Name: "error_message", Type: "string", Required: true, Stage: Load, Doc: "The error message if the value is not valid."},
			},
		}},
	}
}

func locals(whose, more string) *Block {
	return &Block{
		Type: "locals", Free: true,
		Summary: "Names for expressions: " + whose + ". Expressions refer to them as local.NAME.",
		Doc:     more,
		Example: `locals {
  main = "main-container-1"
}`,
	}
}

func cluster() *Block {
	return &Block{
		Type: "cluster", Labels: []string{"name"},
		Summary: "A cluster to run scenarios on. The clusters argument of a scenario refers to it as cluster.NAME.",
		Doc: "lab creates the cluster for the run and deletes it afterwards. Before anything starts, lab reports settings that cannot work, such as a feature gate that the version does not have.\n\n" +
			"With provider = \"existing\", lab uses a cluster that exists already, from a context of a kubeconfig. Each scenario runs in its own namespace, which lab deletes afterwards, or in the namespace that you name. " +
			"lab changes nothing else. The kubernetes argument is then optional, and lab checks it against the version of the API server. Arguments about the creation of a cluster are not allowed.",
		Example: `cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}`,
		Arguments: slices.Concat([]Argument{
			{Name: "kubernetes", Type: "string", Stage: Load, Doc: "A version, such as \"1.28\" (the newest patch version that is available), \"1.28.15\" or a constraint such as \"~> 1.28\". Optional if the provider does not create the cluster: the cluster must then have this version."},
			{Name: "for_each", Type: "map or set of strings", Stage: Load, Doc: "Creates a cluster for each element: cluster.NAME[\"key\"]. In the block, each.key and each.value are the key and the value of the element."},
		}, providerArguments(), []Argument{
			{Name: "image", Type: "string", Stage: Load, Doc: "The node image to use instead of the image that lab selects for the version."},
			{Name: "feature_gates", Type: "map(bool)", Default: "{}", Stage: Load, Doc: "Feature gates of all components."},
			{Name: "runtime_config", Type: "map(string)", Default: "{}", Stage: Load, Doc: "The API server's --runtime-config, such as { \"api/alpha\" = \"true\" }."},
			{Name: "control_planes", Type: "number", Default: "1", Stage: Load, Doc: "The number of control plane nodes."},
			{Name: "workers", Type: "number", Default: "0", Stage: Load, Doc: "The number of worker nodes. If there are none, pods run on the control plane."},
			{Name: "images", Type: "list(string)", Default: "[]", Stage: Load, Doc: "More container images to load onto the nodes. lab loads the images of the manifests anyway."},
			{Name: "containerd_patches", Type: "list(string)", Default: "[]", Stage: Load, Doc: "TOML to merge into the configuration of containerd, like containerdConfigPatches of kind."},
			{Name: "kubeadm_patches", Type: "list(string)", Default: "[]", Stage: Load, Doc: "YAML to merge into the configuration of kubeadm, like kubeadmConfigPatches of kind."},
			{Name: "ready_timeout", Type: "duration", Default: `"5m"`, Stage: Load, Doc: "The maximum time until the cluster is ready."},
		}),
		Blocks: []*Block{{
			Type: "component", Labels: []string{"name"},
			Summary: "Settings of one component: kube-apiserver, kube-controller-manager, kube-scheduler or kubelet.",
			Example: `component "kubelet" {
  feature_gates = { SidecarContainers = false }
  extra_args    = { "v" = "4" }
}`,
			Arguments: []Argument{
				{Name: "feature_gates", Type: "map(bool)", Default: "{}", Stage: Load, Doc: "Feature gates of this component. They override those of the cluster."},
				{Name: "extra_args", Type: "map(string)", Default: "{}", Stage: Load, Doc: "Command line flags, without the dashes."},
			},
		}},
	}
}

func exercise() *Block {
	return &Block{
		Type: "exercise", Labels: []string{"name"}, Later: true,
		Summary: "A workshop exercise based on a scenario. This version does not support it yet.",
	}
}
