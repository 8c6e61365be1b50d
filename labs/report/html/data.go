package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// data is what the page's program draws: the document's pictures, each with
// the steps of its run. Lines are laid out in columns.
type data struct {
	Clusters []clusterData `json:"clusters"`
	Pictures []any         `json:"pictures"`
}

type clusterData struct {
	Name  string   `json:"name"`
	Notes []string `json:"notes"`
}

// stepData is a step on a picture's axis.
type stepData struct {
	Title       string  `json:"title"`
	Status      string  `json:"status"`
	Mark        string  `json:"mark"`
	Expectation bool    `json:"expectation"`
	BeganAt     float64 `json:"began_at"`
	EndedAt     float64 `json:"ended_at"`
	Detail      string  `json:"detail"`
	// Evidence is the id of the page's part that tells more.
	Evidence string `json:"evidence,omitempty"`
}

// lineData are a picture's lines in columns. At holds the nanoseconds from one
// line to the next, Of an index into From.
type lineData struct {
	At   []int64    `json:"at"`
	Of   []int      `json:"of"`
	Text []string   `json:"text"`
	From []lineFrom `json:"from"`
}

// lineFrom is what many lines have in common.
type lineFrom struct {
	Pod       int    `json:"pod"`
	Container int    `json:"container"`
	Run       int    `json:"run"`
	Stream    string `json:"stream"`
	Cut       bool   `json:"cut"`
}

// encode writes the data as base64 of gzip of JSON: texts of recordings repeat
// themselves, and the page stays small.
func encode(d data) (string, error) {
	plain, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("writing the page's data: %w", err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		return "", fmt.Errorf("packing the page's data: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("packing the page's data: %w", err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// dataOf lays out the document for the page's program; scenarios are the
// page's, for the places of the evidence.
func dataOf(d document.Document, evidence map[document.Place]string) (data, error) {
	out := data{Clusters: []clusterData{}, Pictures: []any{}}
	for _, c := range d.Report.Clusters {
		one := clusterData{Name: show(c.Name)}
		for _, note := range c.Notes() {
			one.Notes = append(one.Notes, show(note))
		}
		out.Clusters = append(out.Clusters, one)
	}
	for i, run := range d.Report.Runs {
		var picture document.Picture
		if i < len(d.Pictures) {
			picture = d.Pictures[i]
		}
		picture.Scenario, picture.Cluster = run.Scenario, run.Cluster
		drawn, err := pictureOf(picture)
		if err != nil {
			return data{}, fmt.Errorf("the data of %s on %s: %w", run.Scenario, run.Cluster, err)
		}
		drawn["steps"] = stepsOf(run, i, evidence)
		drawn["lines"] = linesOf(picture.Lines)
		out.Pictures = append(out.Pictures, drawn)
	}
	return out, nil
}

// pictureOf is a picture in its JSON form without its lines, and clean.
func pictureOf(p document.Picture) (map[string]any, error) {
	p.Lines = nil
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		return nil, err
	}
	clean(out)
	return out, nil
}

func stepsOf(run report.ScenarioRun, index int, evidence map[document.Place]string) []stepData {
	out := []stepData{}
	for i, s := range run.Steps {
		detail := s.Detail
		if s.Verdict != nil {
			detail = s.Verdict.Reason
		}
		out = append(out, stepData{
			Title: show(titleOf(s)), Status: s.Status.String(), Mark: mark(s.Status), Expectation: s.Verdict != nil,
			BeganAt: s.BeganAt, EndedAt: s.EndedAt, Detail: show(detail), Evidence: evidence[document.Place{Run: index, Step: i}],
		})
	}
	return out
}

func linesOf(lines []document.LinePicture) lineData {
	out := lineData{At: []int64{}, Of: []int{}, Text: []string{}, From: []lineFrom{}}
	known := map[lineFrom]int{}
	before := int64(0)
	for _, l := range lines {
		text, cut := line(l.Text)
		from := lineFrom{Pod: l.Pod, Container: l.Container, Run: l.Run, Stream: show(l.Stream), Cut: l.Cut || cut}
		i, ok := known[from]
		if !ok {
			i = len(out.From)
			known[from] = i
			out.From = append(out.From, from)
		}
		at := int64(math.Round(l.At * 1e9))
		out.At = append(out.At, at-before)
		before = at
		out.Of = append(out.Of, i)
		out.Text = append(out.Text, text)
	}
	return out
}

// number is a count as people read it: 12,345.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
