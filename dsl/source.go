package dsl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// The limits of a source file. Beyond them the parser would use too much memory.
const (
	maxSource    = 8 << 20
	maxNesting   = 100
	maxOperators = 1000
)

// byteOrderMark is how some editors begin a file in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// confined is a folder. Files outside it cannot be opened, not even through
// links.
type confined string

// Open implements fs.FS.
func (c confined) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(c))
	if err != nil {
		return nil, err
	}
	file, err := root.FS().Open(name)
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	return file, nil
}

// Stat implements fs.StatFS. It does not open the file, because opening a pipe
// waits for its writer.
func (c confined) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(c))
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(name)
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	return info, nil
}

// source is a scenario's folder and the file in it to read; all files if file is
// empty.
type source struct {
	fs.FS
	dir, file string
	join      func(...string) string
}

// files returns the names of the files to read.
func (s source) files() ([]string, error) {
	if s.file != "" {
		return []string{s.file}, nil
	}
	if err := s.holdsScenario(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		return nil, fmt.Errorf("listing the folder %q: %w", s.dir, err)
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && isScenario(entry.Name()) && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	sort.Strings(names)
	return names, nil
}

// holdsScenario returns an error if the folder has no scenario.
func (s source) holdsScenario() error {
	info, err := fs.Stat(s.FS, ScenarioFile)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = fs.Stat(s.FS, ScenarioFile+".json")
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %q holds no %s", s.dir, ScenarioFile)
	case err == nil && info.IsDir():
		return fmt.Errorf("%q in the folder %q is a folder itself", info.Name(), s.dir)
	}
	return reason(err)
}

// parse parses the files. It returns false if one cannot be parsed, because the
// other files could then have errors only for that reason.
func (l *loader) parse(src source) ([]hcl.Body, bool) {
	names, err := src.files()
	if err != nil {
		l.diags = append(l.diags, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "No scenario in this folder",
			Detail: fmt.Sprintf("A scenario cannot be read here: %v.", err),
		})
		return nil, false
	}
	var bodies []hcl.Body
	for _, name := range names {
		if body := l.parseFile(src, name); body != nil {
			bodies = append(bodies, body)
		}
	}
	return bodies, !l.diags.HasErrors()
}

func (l *loader) parseFile(src source, name string) hcl.Body {
	shown := src.join(src.dir, name)
	data, err := readSource(src.FS, name)
	if err != nil {
		l.unreadable(shown, err)
		return nil
	}
	file, diags := parseSource(data, shown)
	l.module.Files[shown] = file
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	return file.Body
}

func (l *loader) unreadable(name string, err error) {
	l.diags = append(l.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Unreadable file",
		Detail: fmt.Sprintf("%q cannot be read: %v.", name, reason(err)),
	})
}

// reason is an error about a file without the name of the file and of the system
// call.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readSource reads a source file of bounded size.
func readSource(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSource+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(data) > maxSource {
		return nil, fmt.Errorf("it is larger than %d MiB", maxSource>>20)
	}
	return data, nil
}

// isScenario says whether a file of that name belongs to a scenario.
func isScenario(name string) bool {
	return strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json")
}

// parseSource parses one file and gives its operators their meaning. The file
// is never nil.
func parseSource(data []byte, name string) (*hcl.File, hcl.Diagnostics) {
	if strings.HasSuffix(name, ".json") {
		return parseJSON(data, name)
	}
	body, diags := parseNative(data, name)
	if body == nil {
		return &hcl.File{Bytes: data, Body: hcl.EmptyBody()}, diags
	}
	return &hcl.File{Bytes: data, Body: body}, diags
}

// bounds refuses a source that is nested too deeply, or has too many operators
// in one expression, to be parsed.
func bounds(data []byte, name string, at hcl.Pos) hcl.Diagnostics {
	if simple(data) {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(data, name, at) // the parser tells of its mistakes
	return tokenBounds(tokens)
}

// tokenBounds is bounds of the tokens of a source.
func tokenBounds(tokens hclsyntax.Tokens) hcl.Diagnostics {
	depth, inner, operators := 0, 0, 0
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenOParen, hclsyntax.TokenOBrack:
			depth++
			inner++
		case hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenCParen, hclsyntax.TokenCBrack:
			depth--
			inner--
		case hclsyntax.TokenNewline:
			if inner <= 0 {
				operators = 0
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit, hclsyntax.TokenNumberLit:
		default:
			operators++
		}
		if depth > maxNesting || operators > maxOperators {
			return hcl.Diagnostics{tooComplicated(token.Range)}
		}
	}
	return nil
}

// simple says, without parsing, that a source is within the limits: the whole
// source has no more brackets and signs than one expression may have.
func simple(data []byte) bool {
	brackets, signs := 0, 0
	for _, c := range data {
		switch {
		case c == '(' || c == '[' || c == '{':
			brackets++
			signs++
		case c > ' ' && c < '0', c > '9' && c < 'A', c > 'Z' && c < 'a', c > 'z' && c < 0x7f:
			signs++
		}
	}
	return brackets <= maxNesting && signs <= maxOperators
}

func tooComplicated(at hcl.Range) *hcl.Diagnostic {
	return mistake(at, "Too complicated", fmt.Sprintf(
		"Brackets can be nested at most %d deep, and an expression can have at most %d operators. Use locals for parts of the expression.", maxNesting, maxOperators))
}
