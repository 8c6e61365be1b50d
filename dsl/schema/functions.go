package schema

import "strings"

// Function is a function of the language.
type Function struct {
	Name string `json:"name"`
	// Signature is how it is called: "logged(container, pattern)".
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	// Own says that Terraform does not have the function.
	Own bool `json:"own,omitempty"`
}

// Functions returns the functions, sorted by name.
func Functions() []Function {
	var all []Function
	for _, line := range strings.Split(strings.TrimSpace(functionTable), "\n") {
		signature, doc, _ := strings.Cut(line, " | ")
		signature, own := strings.CutPrefix(signature, "*")
		name, _, _ := strings.Cut(signature, "(")
		all = append(all, Function{Name: name, Signature: signature, Doc: doc, Own: own})
	}
	return all
}

// FunctionOf returns the function of that name; false if there is none.
func FunctionOf(name string) (Function, bool) {
	for _, f := range Functions() {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// functionTable has one function on each line. A star marks a function that
// Terraform does not have.
const functionTable = `
abs(number) | The absolute value of the number.
alltrue(list) | Whether all elements are true. False as soon as one element is false, even if others are unknown. For an incomplete list: false if an element that was seen is false, otherwise unknown.
anytrue(list) | Whether any element is true. True as soon as one element is true, even if others are unknown. For an incomplete list: true if an element that was seen is true, otherwise unknown.
can(expression) | Whether the expression can be evaluated without an error. An unknown or incomplete value is not an error: the result is then unknown.
ceil(number) | The number, rounded up to a whole number.
cidrhost(prefix, number) | The address of a host in a network, such as cidrhost("10.0.0.0/24", 5).
coalesce(value...) | The first value that is not null.
concat(list...) | The elements of all lists, one list after the other.
contains(list, value) | Whether the list has the value. For an incomplete list: true if the value was seen, otherwise unknown.
distinct(list) | The list without duplicates.
file(path) | The content of a file in the scenario's folder, or below it.
fileexists(path) | Whether a file exists in the scenario's folder, or below it.
flatten(list) | The list, with each nested list replaced by its elements.
floor(number) | The number, rounded down to a whole number.
format(format, value...) | A string, made from a format with verbs such as %s, %d and %02d.
*helm(chart, options) | The manifests of a chart, as ` + "`helm template`" + ` renders it for the target's version: a list with a YAML document for each object. The chart is a folder or a .tgz file in the scenario's folder, or below it, with its subcharts in its folder charts. The options are an object: values (an object, a string of YAML, or a list of these, of which a later one wins), name and namespace of the release (the defaults are the chart's name and the namespace of the step), hooks and skip_crds (false by default), api_versions (what the cluster serves beside Kubernetes' own), and kubernetes (a version, instead of the target's).
index(list, value) | The position of the value in the list, from 0. If the value is missing: unknown for an observed list, because the value may still come, otherwise an error. Unknown for an incomplete list.
join(separator, list) | The strings of the list, with the separator between them. Unknown for an incomplete list.
jsondecode(text) | The value that a JSON text represents.
jsonencode(value) | The value as JSON.
keys(map) | The keys of a map or an object, sorted.
*kustomize(folder, overlay) | The manifests of a kustomization, as ` + "`kubectl kustomize`" + ` builds it: a list with a YAML document for each object. The folder is the scenario's folder, or below it. The overlay is an object with the fields of a kustomization that is laid over it, such as { namePrefix = "test-" }. Nothing is fetched: a kustomization with an address of another machine is an error.
length(value) | The number of elements of a collection, or of characters of a string. For an incomplete list, the length is at least the number of elements that were seen: >= 2 can be known when == 2 is unknown.
*log_time(container, pattern) | The time of the first line of the container's log that matches the regular expression (RE2). Unknown until a line matches, and if an earlier line may be missing.
*logged(container, pattern) | Whether a line of the container's log so far matches the regular expression (RE2). Unknown until the container has started, then false until a line matches. If lines may be missing: true if a line that was seen matches, otherwise unknown.
lookup(map, key, default) | The value of the key, or the default if the map does not have the key.
lower(text) | The text in lower case.
max(number...) | The greatest number. Unknown for an incomplete list, and with "..." for an observed list that is still empty.
merge(map...) | One map with the elements of all maps. If several maps have a key, the last one wins.
min(number...) | The smallest number. Unknown for an incomplete list, and with "..." for an observed list that is still empty.
*object(api_version, kind, name) | An object of any kind, in the run's namespace or cluster-scoped: object("apps/v1", "StatefulSet", "web"). Unknown until it is seen, and while a gap is open.
one(list) | The only element of the list, or null if the list is empty. More than one element is an error.
*ordered(times) | Whether each time of the list is strictly before the next. Unknown if a time is unknown, if the precision of the times does not show their order, and for an incomplete list.
*overlaps(a, b) | Whether two containers ran at the same time. If runs may be missing: true if two runs that were seen overlap, otherwise unknown.
*precision(time) | The maximum error of a time, in seconds: 0.000000001 for a time from the container runtime or a log, 1 for a time from the API. For a step's times it includes the measured difference between this machine's clock and the nodes' clocks.
range(from, to, step) | A list of numbers. The default of from is 0, and the default of step is 1.
regex(pattern, text) | The part of the text that matches the regular expression (RE2). If nothing matches: unknown for an observed text that can still grow, such as a log, otherwise an error. Unknown for an incomplete text.
regexall(pattern, text) | A list of all parts of the text that match the regular expression (RE2). Unknown for an incomplete text.
replace(text, old, new) | The text, with every occurrence of old replaced by new. If old is enclosed in slashes, it is a regular expression.
*seconds(duration) | The number of seconds of a duration such as "90s", to compare with a difference of two times.
*semver(version, constraint) | Whether the version satisfies the constraint: semver(target.kubernetes, ">= 1.29"). If the constraint does not name a pre-release, a pre-release counts as its release: 1.30.0-rc.1 satisfies ">= 1.30", but not "< 1.30".
slice(list, from, to) | The elements from position from up to, but not including, position to.
sort(list) | The strings of the list, sorted.
split(separator, text) | The parts of the text between the separators.
sum(list) | The sum of the numbers. Unknown for an incomplete list.
templatefile(path, variables) | The content of a template file in the scenario's folder, or below it, rendered with the variables.
tolist(value) | The value as a list.
tomap(value) | The value as a map.
tonumber(value) | The value as a number.
toset(value) | The value as a set: without order, and each element once.
tostring(value) | The value as a string.
trimspace(text) | The text without white space at its start and end.
try(expression...) | The result of the first expression that can be evaluated without an error. An unknown value is not an error: the result is then unknown.
upper(text) | The text in upper case.
values(map) | The values of a map or an object, in the order of its keys.
yamldecode(text) | The value that a YAML document represents.
yamlencode(value) | The value as YAML.
`
