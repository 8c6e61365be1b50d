package pods

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxDocument bounds one document of a watch. The API server itself refuses
// objects above about 1.5 MiB.
const maxDocument = 16 << 20

// table is the part of meta.k8s.io/v1 Table that is read.
type table struct {
	Kind     string `json:"kind"`
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	ColumnDefinitions []struct {
		Name string `json:"name"`
	} `json:"columnDefinitions"`
	Rows []struct {
		Cells  []any           `json:"cells"`
		Object json.RawMessage `json:"object"`
	} `json:"rows"`
}

// row is one object and what the server shows of it.
type row struct {
	// cells maps a column's name to its text.
	cells  map[string]string
	object json.RawMessage
}

// columns are the names of the columns that the server sent last: later
// documents of a watch leave them out.
type columns []string

// decodeTable reads a Table. names is replaced where the document has column
// definitions. version is the Table's resource version, which is empty in the
// events of a watch.
func decodeTable(document []byte, names *columns) (rows []row, version string, err error) {
	var t table
	if err := json.Unmarshal(document, &t); err != nil {
		return nil, "", fmt.Errorf("reading the API server's table: %w", err)
	}
	if t.Kind != "Table" {
		return nil, "", fmt.Errorf("the API server sent a %q where a Table was asked for: it does not serve tables", t.Kind)
	}
	if len(t.ColumnDefinitions) > 0 {
		*names = nil
		for _, c := range t.ColumnDefinitions {
			*names = append(*names, c.Name)
		}
	}
	for _, r := range t.Rows {
		cells := map[string]string{}
		for i, cell := range r.Cells {
			if i < len(*names) && cell != nil {
				cells[(*names)[i]] = fmt.Sprint(cell)
			}
		}
		rows = append(rows, row{cells: cells, object: r.Object})
	}
	return rows, t.Metadata.ResourceVersion, nil
}

// event is one document of a watch.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// eventReader takes a watch's documents apart.
type eventReader struct {
	bounded *boundedReader
	decoder *json.Decoder
}

func newEventReader(r io.Reader) *eventReader {
	b := &boundedReader{r: r, left: maxDocument}
	return &eventReader{bounded: b, decoder: json.NewDecoder(b)}
}

// next returns the next event, io.EOF at a clean end.
func (e *eventReader) next() (event, error) {
	var ev event
	e.bounded.left = maxDocument
	if err := e.decoder.Decode(&ev); err != nil {
		return ev, err
	}
	return ev, nil
}

// errTooLong is a document above maxDocument.
var errTooLong = errors.New("the API server sent one document of more than 16 MiB")

// boundedReader fails once more than left bytes were read.
type boundedReader struct {
	r    io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// decodeStatus reads the Status of an ERROR event.
func decodeStatus(document []byte) metav1.Status {
	var s metav1.Status
	if err := json.Unmarshal(document, &s); err != nil || s.Kind != "Status" {
		return metav1.Status{Message: "an error that cannot be read: " + string(document[:min(len(document), 512)])}
	}
	return s
}

// withoutManagedFields returns the object as it was sent, without
// metadata.managedFields, and with the kind that a table's rows may leave out.
func withoutManagedFields(object []byte, kind, apiVersion string) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(object, &whole); err != nil {
		return nil, fmt.Errorf("reading the %s that the API server sent: %w", kind, err)
	}
	if whole == nil {
		return nil, fmt.Errorf("reading the %s that the API server sent: it is null", kind)
	}
	var meta map[string]json.RawMessage
	if raw, has := whole["metadata"]; has {
		if err := json.Unmarshal(raw, &meta); err != nil {
			return nil, fmt.Errorf("reading the metadata of the %s that the API server sent: %w", kind, err)
		}
	}
	if _, has := meta["managedFields"]; has {
		delete(meta, "managedFields")
		raw, err := json.Marshal(meta)
		if err != nil {
			return nil, fmt.Errorf("writing the metadata of a %s: %w", kind, err)
		}
		whole["metadata"] = raw
	}
	setDefault(whole, "kind", kind)
	setDefault(whole, "apiVersion", apiVersion)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(whole); err != nil {
		return nil, fmt.Errorf("writing a %s: %w", kind, err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func setDefault(object map[string]json.RawMessage, key, value string) {
	if _, has := object[key]; !has {
		object[key] = json.RawMessage(`"` + value + `"`)
	}
}
