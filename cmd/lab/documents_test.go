package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestWrittenCommandsAreRight reads every command of lab that is written in the
// documents, the scripts, the comments and the messages, and checks that the
// program has such commands and flags.
func TestWrittenCommandsAreRight(t *testing.T) {
	root := newRoot()
	found := 0
	for _, name := range trackedFiles(t) {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) { // removed, and not yet committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, w := range writtenOn(name, line, root) {
				found++
				if err := w.check(root); err != nil {
					t.Errorf("%s:%d: lab %s: %v", name, i+1, strings.Join(w.words, " "), err)
				}
			}
			for _, flag := range bareFlags(name, line) {
				found++
				if !hasFlag(root, flag) {
					t.Errorf("%s:%d: no command of lab has a flag %s", name, i+1, flag)
				}
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d commands and flags were found", found)
	}
}

func newRoot() *cobra.Command {
	root := (&app{stdout: os.Stdout, stderr: os.Stderr, env: func(string) (string, bool) { return "", false }}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	return root
}

// trackedFiles are the texts of the project in which commands may be written.
func trackedFiles(t *testing.T) []string {
	cmd := exec.Command("git", "ls-files")
	top := filepath.Join("..", "..")
	cmd.Dir = top
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing the files that git tracks: %v", err)
	}
	var names []string
	for _, name := range strings.Fields(string(out)) {
		switch filepath.Ext(name) {
		case ".go", ".md", ".txtar", ".hcl", ".yaml", ".sh", ".tmpl", ".js", ".golden", ".txt", ".json", "":
			if !strings.HasSuffix(name, "documents_test.go") {
				names = append(names, filepath.Join(top, name))
			}
		}
	}
	return names
}

// written is a command as it is written somewhere, without "lab".
type written struct {
	words []string
	// whole says that the words are the whole command, and no more.
	whole bool
}

var (
	// onItsOwn is a line that is a command.
	onItsOwn = regexp.MustCompile(`^(?:\[\w+\] )?(?: {4}|\$ |exec |\t@?)(?:lab|\$\(LAB\)|"\$LAB_PROGRAM") (.*)$`)
	// inSpan is a command between backquotes, also as Go code writes these.
	inSpan = regexp.MustCompile("`(?:lab|\\$\\(LAB\\)) ([A-Za-z-][^`]+)`")
	// inText is a command somewhere in a text.
	inText = regexp.MustCompile(`(?:\blab|\$\(LAB\)) ([a-z]+\b[^\n]*)`)
	// ending is where a command in a text is over.
	ending = regexp.MustCompile("[`\"#;|&()<>:]|, |\\. | {2,}|\\\\n|\\.$")
)

// writtenOn are the commands on a line. In prose they are those that begin with
// the name of a command.
func writtenOn(name, line string, root *cobra.Command) []written {
	if m := onItsOwn.FindStringSubmatch(line); m != nil && filepath.Ext(name) != ".go" {
		if strings.HasPrefix(m[1], "__") {
			return nil
		}
		return []written{{words(m[1]), true}}
	}
	if filepath.Ext(name) == ".txtar" {
		return nil // a mistake on purpose, or what is printed
	}
	var all []written
	for _, m := range inSpan.FindAllStringSubmatch(line, -1) {
		all = append(all, written{words(m[1]), true})
	}
	for _, m := range inText.FindAllStringSubmatch(inSpan.ReplaceAllString(line, ""), -1) {
		w := written{words: words(m[1])}
		if len(w.words) > 0 && isCommand(root, w.words[0]) {
			all = append(all, w)
		}
	}
	return all
}

// words are the words of a command up to where it is over.
func words(text string) []string {
	quoted := false
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\'':
			quoted = !quoted
			return -1
		case quoted && (r == ' ' || r == '|'):
			return '_'
		}
		return r
	}, text)
	if i := ending.FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	return strings.Fields(text)
}

// formerCommands are no longer there, and must not be written either.
var formerCommands = []string{"show"}

func isCommand(root *cobra.Command, name string) bool {
	return slices.Contains(formerCommands, name) || slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// check says what the program does not have of a command.
func (w written) check(root *cobra.Command) error {
	cmd, rest, err := root.Find(slices.DeleteFunc(slices.Clone(w.words), func(word string) bool { return strings.HasPrefix(word, "-") }))
	if err != nil || cmd == root && len(rest) > 0 && rest[0] != "COMMAND" {
		return errors.New("there is no such command")
	}
	if cmd.HasSubCommands() && len(rest) > 0 && w.whole && !strings.ContainsAny(rest[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ…[") {
		return fmt.Errorf("%s has no command %s", cmd.CommandPath(), rest[0])
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	args, err := parse(cmd, w.words)
	if err != nil {
		return err
	}
	args = args[min(len(args), strings.Count(cmd.CommandPath(), " ")):]
	if w.whole && len(args) > 0 && cmd.Args != nil && !slices.Contains(args, "…") {
		return cmd.Args(cmd, args)
	}
	return nil
}

// parse looks up the flags among words, and returns the other words.
func parse(cmd *cobra.Command, words []string) (args []string, err error) {
	for i := 0; i < len(words); i++ {
		word := strings.Trim(words[i], "[]")
		name, _, inline := strings.Cut(strings.TrimLeft(word, "-"), "=")
		var flag *pflag.Flag
		switch {
		case name == "" || !strings.HasPrefix(word, "-"):
			args = append(args, words[i])
			continue
		case strings.HasPrefix(word, "--"):
			flag = cmd.Flags().Lookup(name)
		default:
			flag, inline = shorthand(cmd, name)
		}
		if flag == nil {
			return nil, fmt.Errorf("%s has no flag %s", cmd.CommandPath(), word)
		}
		if flag.NoOptDefVal == "" && !inline {
			i++
		}
	}
	return args, nil
}

// shorthand is the last flag of combined short flags, and whether its value is
// among the letters; nil if one of them is not there.
func shorthand(cmd *cobra.Command, letters string) (flag *pflag.Flag, inline bool) {
	for i := range letters {
		flag = cmd.Flags().ShorthandLookup(letters[i : i+1])
		if flag == nil || flag.NoOptDefVal == "" {
			return flag, i < len(letters)-1
		}
	}
	return flag, false
}

var (
	// bareFlag is a flag of lab between backquotes in a document.
	bareFlag = regexp.MustCompile("`(--?[a-z][a-z-]+)(?:[ =][^`]*)?`")
	// anyFlag is a flag in a text of the command line's own package.
	anyFlag = regexp.MustCompile(`(?:^|[ "(;` + "`" + `])(--[a-z][a-z-]+)`)
)

// othersFlags are flags of other programs that documents name.
var othersFlags = []string{"-run", "-skip", "--feature-gates", "--validate"}

// bareFlags are the flags that a line names without a command.
func bareFlags(name, line string) []string {
	var matches [][]string
	switch {
	case filepath.Base(name) == "README.md" && !strings.Contains(line, "kube"):
		matches = bareFlag.FindAllStringSubmatch(line, -1)
	case filepath.Base(filepath.Dir(name)) == "lab" && filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
		matches = anyFlag.FindAllStringSubmatch(line, -1)
	}
	var flags []string
	for _, m := range matches {
		if !slices.Contains(othersFlags, m[1]) {
			flags = append(flags, m[1])
		}
	}
	return flags
}

// hasFlag says whether a command below cmd has the flag.
func hasFlag(cmd *cobra.Command, flag string) bool {
	name, long := strings.CutPrefix(flag, "--")
	return long && (cmd.Flags().Lookup(name) != nil || name == "help" || name == "version") ||
		slices.ContainsFunc(cmd.Commands(), func(sub *cobra.Command) bool { return hasFlag(sub, flag) })
}

func TestEveryCommandIsExplained(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Hidden || sub.Name() == "completion" { // cobra's own words
				continue
			}
			path := sub.CommandPath()
			if sub.Short == "" || strings.HasSuffix(sub.Short, ".") {
				t.Errorf("%s: the summary is %q; want one without a full stop", path, sub.Short)
			}
			if !sub.HasSubCommands() && (sub.Long == "" || sub.Example == "") {
				t.Errorf("%s: the help needs a description and an example", path)
			}
			if cmd == cmd.Root() && sub.GroupID == "" {
				t.Errorf("%s is in no group of the help", path)
			}
			for _, line := range strings.Split(sub.Long+"\n"+sub.Example, "\n") {
				if len([]rune(line)) > 80 {
					t.Errorf("%s: the help has a line of more than 80 characters: %s", path, line)
				}
			}
			sub.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if first := f.Usage[:1]; first == strings.ToUpper(first) && first != "-" || strings.HasSuffix(f.Usage, ".") {
					t.Errorf("%s: --%s: the text is %q; want no capital letter and no full stop", path, f.Name, f.Usage)
				}
			})
			visit(sub)
		}
	}
	visit(newRoot())
}

// TestSharedFlagsMeanOneThing compares the flags of all commands.
func TestSharedFlagsMeanOneThing(t *testing.T) {
	seen := map[string]*pflag.Flag{}
	in := map[string]string{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			before := seen[f.Name]
			if before == nil {
				seen[f.Name], in[f.Name] = f, cmd.CommandPath()
				return
			}
			if f.Value.Type() != before.Value.Type() || f.Shorthand != before.Shorthand {
				t.Errorf("--%s is -%s of %s in %s, and -%s of %s in %s", f.Name,
					f.Shorthand, f.Value.Type(), cmd.CommandPath(), before.Shorthand, before.Value.Type(), in[f.Name])
			}
			for _, name := range []string{"cluster", "scenario", "var", "var-file", "fresh", "no-logs", "parallel", "concurrency"} {
				if f.Name == name && f.Usage != before.Usage {
					t.Errorf("--%s is %q in %s, and %q in %s", name, f.Usage, cmd.CommandPath(), before.Usage, in[name])
				}
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
}
