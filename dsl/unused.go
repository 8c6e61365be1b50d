package dsl

// unused warns about declarations without a reference. Most often, a reference
// is misspelled.
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
	l.unusedClusters()
}

// unusedClusters warns about clusters on which no scenario runs, and about sets
// of which no scenario uses a cluster.
func (l *loader) unusedClusters() {
	used, reported := map[string]bool{}, map[string]bool{}
	for _, c := range l.module.Clusters {
		used[c.Set] = used[c.Set] || l.used["cluster."+c.Block]
	}
	for _, c := range l.module.Clusters {
		switch {
		case c.Set != "" && !used[c.Set] && !reported["set "+c.Set]:
			reported["set "+c.Set] = true
			l.warnf(c.Range, "Unused cluster set", "No scenario runs on a cluster of the set %q.", c.Set)
		case c.Set == "" && !l.used["cluster."+c.Block] && !reported["cluster "+c.Block]:
			reported["cluster "+c.Block] = true
			l.warnf(c.Range, "Unused cluster", "No scenario runs on cluster.%s, so lab never creates it.", c.Block)
		}
	}
}
