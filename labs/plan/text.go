package plan

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText prints the plan for a person.
func (p *Plan) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s on %s\n\n", p.File, count(len(p.Runs), "run"), count(len(p.Clusters), "cluster"))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tKUBERNETES\tVERSION\tFEATURE GATES\tNODE IMAGE\tESTIMATE")
	for _, c := range p.Clusters {
		gates := strings.TrimPrefix(strings.TrimPrefix(c.Title(), c.Image.Version), " ")
		if gates == "" {
			gates = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Name, orDash(c.Constraint), orDash(c.Image.Version), gates,
			imageText(c.Image), duration(c.Image.Estimate))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range p.Clusters {
		if c.Image.Why != "" {
			fmt.Fprintf(&b, "\n%s: %s", c.Name, c.Image.Why)
		}
	}
	for _, s := range p.Skipped {
		fmt.Fprintf(&b, "\n%s: left out: %s", s.Name, s.Reason)
	}
	b.WriteString("\n\n")
	for i, r := range p.Runs {
		if i == 0 || p.Runs[i-1].Scenario != r.Scenario {
			p.writeScenario(&b, r)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Plan) writeScenario(b *strings.Builder, r ScenarioRun) {
	var on []string
	for _, other := range p.Runs {
		if other.Scenario == r.Scenario {
			on = append(on, other.Cluster)
		}
	}
	fmt.Fprintf(b, "scenario %q on %s, at most %s\n", r.Scenario, strings.Join(on, ", "), short(r.Deadline))
	verbs := 0
	for _, s := range r.Steps {
		verbs = max(verbs, len(s.Verb))
	}
	for i, s := range r.Steps {
		if s.Finally && (i == 0 || !r.Steps[i-1].Finally) {
			b.WriteString("  finally\n")
		}
		indent := "  "
		if s.Finally {
			indent = "    "
		}
		fmt.Fprintf(b, "%s%-*s  %s%s\n", indent, verbs, s.Verb, s.Name, timing(s))
	}
	b.WriteString("\n")
}

func timing(s Step) string {
	var parts []string
	if s.Within > 0 {
		parts = append(parts, "within "+short(s.Within))
	}
	if s.Hold > 0 {
		parts = append(parts, "hold "+short(s.Hold))
	}
	if s.Timeout > 0 {
		parts = append(parts, "at most "+short(s.Timeout))
	}
	if s.Duration > 0 {
		parts = append(parts, short(s.Duration))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func imageText(i Image) string {
	switch i.Source {
	case "have":
		return i.Ref
	case "pull":
		return "pull " + i.Ref
	case "build":
		return "build " + i.Ref
	}
	return orDash(i.Ref)
}

func duration(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return "about " + short(d.Round(10*time.Second))
}

// short writes 60 s as "1m" rather than "1m0s".
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
