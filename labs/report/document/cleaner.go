package document

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/report/layout"
)

// masked stands for what is sensitive.
const masked = "(sensitive)"

// leastSecretLine is how many characters a line of a secret of several lines
// has that is masked by itself; a shorter one would be found by chance.
const leastSecretLine = 8

// Cleaner takes out of texts what must not be shown: secrets, and what a
// terminal would obey rather than show.
type Cleaner struct {
	secrets *strings.Replacer
}

// NewCleaner masks these secrets, in the forms that they commonly take: also in
// base64, within JSON, and line by line.
func NewCleaner(secrets []string) *Cleaner {
	var forms []string
	for _, s := range secrets {
		forms = append(forms, s)
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			forms = append(forms, encoding.EncodeToString([]byte(s)))
		}
		forms = append(forms, inJSON(s, true), inJSON(s, false))
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= leastSecretLine {
				forms = append(forms, line)
			}
		}
	}
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, form := range slices.Compact(forms) {
		if form != "" {
			pairs = append(pairs, form, masked)
		}
	}
	c := &Cleaner{}
	if len(pairs) > 0 {
		c.secrets = strings.NewReplacer(pairs...)
	}
	return c
}

// inJSON is a text as it stands between the quotes of JSON: Go and Kubernetes
// escape what HTML would obey, and other writers do not.
func inJSON(text string, escapeHTML bool) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(escapeHTML)
	if encoder.Encode(text) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), `"`), "\"\n")
}

// Text is a text of one or several lines, without what must not be shown.
func (c *Cleaner) Text(text string) string {
	clean := layout.CleanLines(c.mask(text))
	if clean == text {
		return text
	}
	return c.mask(clean) // what stood in the middle of a secret is gone
}

// Line is Text in one line.
func (c *Cleaner) Line(text string) string {
	return strings.ReplaceAll(c.Text(text), "\n", " ")
}

func (c *Cleaner) mask(text string) string {
	if c.secrets == nil {
		return text
	}
	return c.secrets.Replace(text)
}

// cleaned is a copy of data with all of its texts clean; it shares nothing with
// it that is changed.
func cleaned[T any](c *Cleaner, data T) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	c.copy(out, reflect.ValueOf(&data).Elem())
	return out.Interface().(T)
}

// copy sets to, which is new, to what from is when it is clean. What is in
// unexported fields is taken as it is.
func (c *Cleaner) copy(to, from reflect.Value) {
	to.Set(from)
	switch from.Kind() {
	case reflect.String:
		to.SetString(c.Text(from.String()))
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			c.copy(to.Elem(), from.Elem())
		}
	case reflect.Interface:
		if !from.IsNil() {
			inner := reflect.New(from.Elem().Type()).Elem()
			c.copy(inner, from.Elem())
			to.Set(inner)
		}
	case reflect.Slice:
		c.slice(to, from)
	case reflect.Map:
		c.copyMap(to, from)
	case reflect.Struct:
		for i := range from.NumField() {
			field := from.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			c.copy(to.Field(i), from.Field(i))
			if field.Type.Kind() == reflect.Slice && from.Field(i).IsNil() && !strings.Contains(field.Tag.Get("json"), ",omitempty") {
				to.Field(i).Set(reflect.MakeSlice(field.Type, 0, 0)) // [] in JSON, and not null
			}
		}
		if snippet, ok := to.Addr().Interface().(*diag.Snippet); ok && len(snippet.Code) != from.FieldByName("Code").Len() {
			snippet.HighlightStart, snippet.HighlightEnd = 0, len(snippet.Code)
		}
	}
}

func (c *Cleaner) slice(to, from reflect.Value) {
	if from.IsNil() {
		return
	}
	if raw, ok := from.Interface().(json.RawMessage); ok {
		to.SetBytes(c.json(raw))
		return
	}
	to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		c.copy(to.Index(i), from.Index(i))
	}
}

// json is JSON with all of its texts clean; null if it is none.
func (c *Cleaner) json(raw json.RawMessage) json.RawMessage {
	var data any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&data) != nil {
		return json.RawMessage("null")
	}
	out, err := json.Marshal(cleaned(c, data))
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

func (c *Cleaner) copyMap(to, from reflect.Value) {
	if from.IsNil() {
		return
	}
	to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
	for it := from.MapRange(); it.Next(); {
		key, value := reflect.New(from.Type().Key()).Elem(), reflect.New(from.Type().Elem()).Elem()
		c.copy(key, it.Key())
		c.copy(value, it.Value())
		to.SetMapIndex(key, value)
	}
}

// Document is a document with all of its texts clean. Log lines are clean
// already where a PictureBuilder made them, and are not looked at again.
func (c *Cleaner) Document(d Document) Document {
	lines := make([][]LinePicture, len(d.Pictures))
	pictures := slices.Clone(d.Pictures)
	for i := range pictures {
		lines[i], pictures[i].Lines = pictures[i].Lines, nil
	}
	d.Pictures = pictures
	d = cleaned(c, d)
	for i := range d.Pictures {
		d.Pictures[i].Lines = lines[i]
	}
	return d
}
