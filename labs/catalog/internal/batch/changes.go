package main

import (
	"fmt"
	"os/exec"
	"path"
	"strings"
)

// changes finds out which labs a change touches, by git. A checkout may be
// shallow: a commit that is not in it is as good as unknown.
type changes struct {
	// root is the catalog's folder in the checkout.
	root string
	// base is the commit that counts where a lab's own last judgement has none,
	// and why it was chosen; empty if there is no earlier commit.
	base, chosen string
	// files are the changed files of the catalog since a commit.
	files map[string][]string
}

// branches are those that a change may have left, best first.
var branches = [...]string{"origin/HEAD", "origin/main", "origin/master"}

// findChanges looks for the commit that the checkout is compared with: where it
// left the main branch, or else the commit before.
func findChanges(root string) *changes {
	c := &changes{root: root, files: map[string][]string{}}
	head := c.head()
	if head == "" {
		return c
	}
	for _, branch := range branches {
		if base, err := c.git("merge-base", "HEAD", branch); err == nil && base != head {
			c.base, c.chosen = base, "where it left "+branch
			return c
		}
	}
	if parent, err := c.git("rev-parse", "--verify", "--quiet", "HEAD^"); err == nil {
		c.base, c.chosen = parent, "the commit before"
	}
	return c
}

// head is the commit that is checked out; empty outside of a repository.
func (c *changes) head() string {
	head, err := c.git("rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return head
}

// touched says since which commit a lab has changed, in words; empty if it
// has not, or if that is unknown. judged is the commit at which the lab was
// last judged, if any.
func (c *changes) touched(lab, judged string) (string, error) {
	base, what := c.base, c.chosen
	if judged != "" && c.has(judged) {
		base, what = judged, "its last judgement"
	}
	if base == "" {
		return "", nil
	}
	files, err := c.since(base)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if judgedBy(lab, file) {
			return fmt.Sprintf("changed since %.10s, %s", base, what), nil
		}
	}
	return "", nil
}

// judgedBy says whether a file of the catalog can change how the lab is judged:
// its README and its recordings cannot.
func judgedBy(lab, file string) bool {
	rest, ok := strings.CutPrefix(file, lab+"/")
	return ok && rest != "README.md" && !strings.HasPrefix(rest, "recordings/")
}

// has says whether the commit is in the repository.
func (c *changes) has(commit string) bool {
	_, err := c.git("cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// since are the files of the catalog, relative to it, that differ between a
// commit and what is in the folder now, committed or not.
func (c *changes) since(commit string) ([]string, error) {
	if files, ok := c.files[commit]; ok {
		return files, nil
	}
	changed, err := c.git("diff", "--name-only", "--no-renames", "--relative", "-z", commit, "--", ".")
	if err != nil {
		return nil, err
	}
	added, err := c.git("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	var files []string
	for file := range strings.SplitSeq(changed+"\x00"+added, "\x00") {
		if file != "" {
			files = append(files, path.Clean(file))
		}
	}
	c.files[commit] = files
	return files, nil
}

// git runs git in the catalog's folder.
func (c *changes) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
