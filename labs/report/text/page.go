package text

import "github.com/kind-lab/lab/labs/report/layout"

// page is a report that is being written.
type page struct{ *layout.Page }

func newPage(style layout.Style) *page { return &page{layout.NewPage(style)} }
