package value

import (
	"io/fs"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions returns the functions of the language. Those that read files read
// below dir, which path.scenario names.
func functions(dir fs.FS, pathScenario string) map[string]function.Function {
	all := plainFunctions()
	files := &files{dir: dir, path: pathScenario}
	all["file"] = files.file()
	all["fileexists"] = files.fileExists()
	all["templatefile"] = files.templateFile(plainFunctions)
	return all
}

// FunctionNames returns the names of the language's functions, sorted.
func FunctionNames() []string { return sortedKeys(functions(nil, "")) }

func plainFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs":        roughly(stdlib.AbsoluteFunc),
		"alltrue":    allTrue(),
		"anytrue":    anyTrue(),
		"can":        tryfunc.CanFunc,
		"ceil":       roughly(stdlib.CeilFunc),
		"cidrhost":   cidrHost(),
		"coalesce":   stdlib.CoalesceFunc,
		"concat":     stdlib.ConcatFunc,
		"contains":   stdlib.ContainsFunc,
		"distinct":   stdlib.DistinctFunc,
		"flatten":    stdlib.FlattenFunc,
		"floor":      roughly(stdlib.FloorFunc),
		"format":     stdlib.FormatFunc,
		"index":      indexOf(),
		"join":       stdlib.JoinFunc,
		"jsondecode": stdlib.JSONDecodeFunc,
		"jsonencode": stdlib.JSONEncodeFunc,
		"keys":       stdlib.KeysFunc,
		"length":     length(),
		"log_time":   logTime(),
		"logged":     logged(),
		"lookup":     stdlib.LookupFunc,
		"lower":      stdlib.LowerFunc,
		"max":        roughly(stdlib.MaxFunc),
		"merge":      stdlib.MergeFunc,
		"min":        roughly(stdlib.MinFunc),
		"one":        one(),
		"ordered":    ordered(),
		"overlaps":   overlaps(),
		"range":      stdlib.RangeFunc,
		"regex":      stdlib.RegexFunc,
		"regexall":   stdlib.RegexAllFunc,
		"replace":    replace(),
		"seconds":    seconds(),
		"semver":     semver(),
		"slice":      stdlib.SliceFunc,
		"sort":       stdlib.SortFunc,
		"split":      stdlib.SplitFunc,
		"sum":        roughly(sum()),
		"tolist":     stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap":      stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
		"tonumber":   stdlib.MakeToFunc(cty.Number),
		"toset":      stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"tostring":   stdlib.MakeToFunc(cty.String),
		"trimspace":  stdlib.TrimSpaceFunc,
		"try":        tryfunc.TryFunc,
		"upper":      stdlib.UpperFunc,
		"values":     stdlib.ValuesFunc,
		"yamldecode": yaml.YAMLDecodeFunc,
		"yamlencode": yaml.YAMLEncodeFunc,
	}
}
