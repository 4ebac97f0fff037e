// Command prose finds words in Go files and docs that readers have to decode, such as "told"
// for "reported", and prints each with the word to use. It exits with status 1 if there are any.
//
//	go run ./internal/tools/prose
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	n, err := check()
	if err == nil && n > 0 {
		err = fmt.Errorf("%d words or phrases: use the field's word, or another sentence", n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// check prints what is found in the tracked files, and returns how much that is.
func check() (found int, err error) {
	list, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		return 0, fmt.Errorf("list the files of the repository: %w", err)
	}
	for file := range strings.Lines(string(list)) {
		file = strings.TrimSpace(file)
		if strings.Contains(file, "/testdata/") || strings.HasPrefix(file, "internal/tools/prose/") {
			continue
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed and not yet committed
		}
		if err != nil {
			return found, err
		}
		for _, f := range find(string(text)) {
			fmt.Printf("%s:%d: %q: use %s\n", file, f.line, f.text, f.instead)
			found++
		}
	}
	return found, nil
}
