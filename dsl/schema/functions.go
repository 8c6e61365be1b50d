package schema

import "strings"

// Function is a function of the language.
type Function struct {
	Name string `json:"name"`
	// Signature is how it is called: "logged(container, pattern)".
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	// Own says that it is the language's own and not one of Terraform's.
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

// FunctionOf returns the function of that name; false where there is none.
func FunctionOf(name string) (Function, bool) {
	for _, f := range Functions() {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// functionTable has a function on each line; a star marks the language's own.
const functionTable = `
abs(number) | The number without its sign.
alltrue(list) | Whether all elements are true. False as soon as one is, whatever is not known yet. Of an incomplete list: false if an element that was seen is false, otherwise unknown.
anytrue(list) | Whether any element is true. True as soon as one is, whatever is not known yet. Of an incomplete list: true if an element that was seen is true, otherwise unknown.
can(expression) | Whether the expression can be evaluated without an error. Unknown if the expression is unknown or incomplete: that is no error.
ceil(number) | The next whole number that is not less.
cidrhost(prefix, number) | The address of a host in a network, such as cidrhost("10.0.0.0/24", 5).
coalesce(value...) | The first value that is not null.
concat(list...) | The elements of all the lists, one list after the other.
contains(list, value) | Whether the list has the value. Of an incomplete list: true if the value was seen, otherwise unknown.
distinct(list) | The list without what is there already.
file(path) | The text of a file below the scenario's folder.
fileexists(path) | Whether there is such a file below the scenario's folder.
flatten(list) | The list with the elements of its lists in their place.
floor(number) | The next whole number that is not greater.
format(format, value...) | A text by a format of verbs such as %s, %d and %02d.
index(list, value) | The place of the value in the list, from 0. If it is not there: unknown for an observed list, since it may come yet, otherwise an error. Unknown for an incomplete list.
join(separator, list) | The strings of the list with the separator between them. Unknown for an incomplete list.
jsondecode(text) | The value that a JSON text stands for.
jsonencode(value) | The value as JSON.
keys(map) | The keys of a map or object, sorted.
length(value) | The number of elements, or of a string's characters. Of an incomplete list: at least what was seen, so that >= 2 may be known where == 2 is not.
*log_time(container, pattern) | When the first line of the container's log that matches the regular expression (RE2) was written. Unknown until there is one, and if an earlier line may be missing.
*logged(container, pattern) | Whether a line of the container's log so far matches the regular expression (RE2). Unknown until the container has started, then false until a line matches. If lines may be missing: true if a line that was seen matches, otherwise unknown.
lookup(map, key, default) | The value of the key, or the default where it is not there.
lower(text) | The text in lower case.
max(number...) | The greatest number. Unknown for an incomplete list, and with "..." for an observed list that is still empty.
merge(map...) | One map of all; a later one wins.
min(number...) | The least number. Unknown for an incomplete list, and with "..." for an observed list that is still empty.
*object(api_version, kind, name) | An object of any kind, in the run's namespace or of the whole cluster: object("apps/v1", "StatefulSet", "web"). Unknown until it is seen, and while a gap is open.
one(list) | The only element, or null where there is none; an error where there are more.
*ordered(times) | Whether each time of the list is strictly before the next. Unknown while one is, while their precision cannot tell, and for an incomplete list.
*overlaps(a, b) | Whether two containers ran at the same time. If runs may be missing: true if two runs that were seen overlap, otherwise unknown.
*precision(time) | By how many seconds a time may be off: 0.000000001 for one from the container runtime or a log, 1 for one from the API. For a step's times it includes how far this machine's clock was measured to be from the nodes'.
range(from, to, step) | A list of numbers; from is 0 and step is 1 where they are not given.
regex(pattern, text) | What the regular expression (RE2) matches. If it does not match: unknown for an observed text that may go on, such as a log, otherwise an error. Unknown for an incomplete text.
regexall(pattern, text) | All that the regular expression (RE2) matches, as a list. Unknown for an incomplete text.
replace(text, old, new) | The text with new for each old; an old in slashes is a regular expression.
*seconds(duration) | The number of seconds of a duration such as "90s", to be compared with differences of times.
*semver(version, constraint) | Whether the version satisfies the constraint: semver(target.kubernetes, ">= 1.29").
slice(list, from, to) | The elements from one place up to, not with, another.
sort(list) | The strings in their order.
split(separator, text) | The parts of the text between the separators.
sum(list) | The sum of the numbers. Unknown for an incomplete list.
templatefile(path, variables) | The text of a template below the scenario's folder, with the variables in it.
tolist(value) | The value as a list.
tomap(value) | The value as a map.
tonumber(value) | The value as a number.
toset(value) | The value as a set: without order, each element once.
tostring(value) | The value as a string.
trimspace(text) | The text without white space around it.
try(expression...) | The first expression that can be evaluated without an error. What is unknown is no error: the result is unknown, too.
upper(text) | The text in upper case.
values(map) | The values of a map or object, in the order of its keys.
yamldecode(text) | The value that a YAML document stands for.
yamlencode(value) | The value as YAML.
`
