// Command prose counts words in Go files and docs that readers have to decode, such as "told"
// for "reported". Each file may have as many as allowed.txt says, and no more: the numbers
// only shrink.
//
//	go run ./internal/tools/prose            # lists what is new; exit 1 if there is any
//	go run ./internal/tools/prose -update    # lowers the numbers to what the files have
//	go run ./internal/tools/prose -show FILE # the lines of a file, with the words to use
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// allowedFile is the list, relative to the root of the repository: "FILE COUNT" a line.
const allowedFile = "internal/tools/prose/allowed.txt"

var errFound = errors.New("use the field's word, or another sentence (see: go run ./internal/tools/prose -show FILE)")

func main() {
	update := flag.Bool("update", false, "lower the numbers of "+allowedFile+" to what the files have")
	show := flag.String("show", "", "print the lines of `FILE` that are counted")
	flag.Parse()
	var err error
	switch {
	case *show != "":
		err = printLines(*show)
	case *update:
		err = lower()
	default:
		err = check()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// check compares all files with the list.
func check() error {
	have, allowed, err := counts()
	if err != nil {
		return err
	}
	bad := false
	for _, file := range slices.Sorted(maps.Keys(have)) {
		if n, most := have[file], allowed[file]; n > most {
			fmt.Printf("%s: %d words or phrases that are not plain, %d are allowed\n", file, n, most)
			bad = true
		}
	}
	if bad {
		return errFound
	}
	return nil
}

// lower rewrites the list. Numbers never grow, but for files that have none yet.
func lower() error {
	have, allowed, err := counts()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, file := range slices.Sorted(maps.Keys(have)) {
		n := have[file]
		if most, listed := allowed[file]; listed || len(allowed) > 0 {
			n = min(n, most)
		}
		if n > 0 {
			fmt.Fprintf(&out, "%s %d\n", file, n)
		}
	}
	return os.WriteFile(allowedFile, out.Bytes(), 0o644)
}

// counts gives how many findings each tracked file has, and may have.
func counts() (have, allowed map[string]int, err error) {
	list, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list the files of the repository: %w", err)
	}
	have, allowed = map[string]int{}, map[string]int{}
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
			return nil, nil, err
		}
		if n := len(find(string(text))); n > 0 {
			have[file] = n
		}
	}
	text, err := os.ReadFile(allowedFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		file, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: line %q: want FILE COUNT", allowedFile, lines.Text())
		}
		allowed[file] = n
	}
	return have, allowed, lines.Err()
}

func printLines(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, f := range find(string(text)) {
		fmt.Printf("%s:%d: %q: use %s\n", file, f.line, f.text, f.instead)
	}
	return nil
}
