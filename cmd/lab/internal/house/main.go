// Command house holds the sources of the project to the rules of the house, from
// the root of the project: words finds words that the project no longer uses, and
// figures prints sizes, documentation and tests by folder.
//
//	house words|figures
package main

import (
	"fmt"
	"io"
	"os"
)

// The exit codes.
const (
	exitGood  = 0
	exitFound = 1
	exitUsage = 2
)

// wordsFile is the list of words, below the root of the project.
const wordsFile = ".ci/words"

func main() { os.Exit(run(os.Args[1:], ".", os.Stdout, os.Stderr)) }

func run(args []string, root string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "house: want words or figures")
		return exitUsage
	}
	found, err := 0, error(nil)
	switch args[0] {
	case "words":
		found, err = printWords(root, stdout)
	case "figures":
		err = printFigures(root, stdout)
	default:
		err = fmt.Errorf("%q is neither words nor figures", args[0])
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "house:", err)
		return exitUsage
	case found > 0:
		return exitFound
	}
	return exitGood
}
