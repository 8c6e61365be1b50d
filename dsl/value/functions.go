package value

import (
	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions returns the functions of the language. Those that read files read
// its folder.
func functions(files *files) map[string]function.Function {
	all := plainFunctions()
	all["file"] = files.file()
	all["fileexists"] = files.fileExists()
	all["templatefile"] = files.templateFile(plainFunctions)
	return all
}

// FunctionNames returns the names of the language's functions, sorted.
func FunctionNames() []string { return NewShared(nil, "").names() }

func plainFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs":        roughly(stdlib.AbsoluteFunc),
		"alltrue":    allTrue(),
		"anytrue":    anyTrue(),
		"can":        can(),
		"ceil":       rounding(stdlib.CeilFunc, 1),
		"cidrhost":   minding(cidrHost()),
		"coalesce":   minding(stdlib.CoalesceFunc),
		"concat":     minding(stdlib.ConcatFunc),
		"contains":   contains(),
		"distinct":   uncertain(stdlib.DistinctFunc),
		"flatten":    minding(stdlib.FlattenFunc),
		"floor":      rounding(stdlib.FloorFunc, 1),
		"format":     minding(stdlib.FormatFunc),
		"helm":       unknownManifests("chart"),
		"index":      indexOf(),
		"join":       minding(stdlib.JoinFunc),
		"jsondecode": minding(stdlib.JSONDecodeFunc),
		"jsonencode": minding(stdlib.JSONEncodeFunc),
		"keys":       keysOf(),
		"kustomize":  unknownManifests("folder"),
		"length":     length(),
		"log_time":   logTime(),
		"logged":     logged(),
		"lookup":     minding(stdlib.LookupFunc),
		"lower":      minding(stdlib.LowerFunc),
		"max":        roughly(stdlib.MaxFunc),
		"merge":      minding(stdlib.MergeFunc),
		"min":        roughly(stdlib.MinFunc),
		"one":        minding(one()),
		"object":     unknownObject(),
		"ordered":    ordered(),
		"overlaps":   overlaps(),
		"precision":  precision(),
		"range":      minding(stdlib.RangeFunc),
		"regex":      regex(),
		"regexall":   minding(stdlib.RegexAllFunc),
		"replace":    minding(replace()),
		"seconds":    minding(seconds()),
		"semver":     minding(semver()),
		"slice":      minding(stdlib.SliceFunc),
		"sort":       minding(stdlib.SortFunc),
		"split":      minding(stdlib.SplitFunc),
		"sum":        roughly(sum()),
		"tolist":     minding(stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType))),
		"tomap":      minding(stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType))),
		"tonumber":   minding(stdlib.MakeToFunc(cty.Number)),
		"toset":      uncertain(stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType))),
		"tostring":   minding(stdlib.MakeToFunc(cty.String)),
		"trimspace":  minding(stdlib.TrimSpaceFunc),
		"try":        try(),
		"upper":      minding(stdlib.UpperFunc),
		"values":     minding(stdlib.ValuesFunc),
		"yamldecode": minding(yaml.YAMLDecodeFunc),
		"yamlencode": minding(yaml.YAMLEncodeFunc),
	}
}
