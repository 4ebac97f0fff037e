package command

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxStdin bounds what --args-stdin reads.
const maxStdin = 16 << 20

// StdinWords are the arguments of --args-stdin: one per line.
func StdinWords(in io.Reader) ([]string, error) {
	var words []string
	lines := bufio.NewScanner(io.LimitReader(in, maxStdin+1))
	lines.Buffer(nil, maxStdin)
	for lines.Scan() {
		words = append(words, strings.TrimSpace(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--args-stdin: %w", err)
	}
	return words, nil
}
