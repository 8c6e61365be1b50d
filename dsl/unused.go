package dsl

// unused warns of what is declared and never referred to: most often it is
// written differently where it is meant.
func (l *loader) unused() {
	if !l.used["var.*"] {
		for _, v := range l.module.Variables {
			if !l.used["var."+v.Name] {
				l.warnf(v.Range, "Unused variable", "Nothing refers to var.%s.", v.Name)
			}
		}
	}
	if !l.used["local.*"] {
		for _, name := range sorted(l.taken) {
			if !l.used["local."+name] {
				l.warnf(l.taken[name], "Unused local", "Nothing refers to local.%s.", name)
			}
		}
	}
	told := map[string]bool{}
	for _, c := range l.module.Clusters {
		if !l.used["cluster."+c.Block] && !told[c.Block] {
			told[c.Block] = true
			l.warnf(c.Range, "Unused cluster", "No scenario runs on cluster.%s, so it is never made.", c.Block)
		}
	}
}
