package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxPepperrc bounds ~/.pepperrc, in bytes.
const maxPepperrc = 1 << 20

// readPepperrc reads ~/.pepperrc, the file of salt-api's command line (pepper) with addresses and
// logins. It returns nil if the file does not exist.
func readPepperrc() (map[string]map[string]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil //nolint:nilerr // who has no home has no such file
	}
	path := filepath.Join(home, ".pepperrc")
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ~/.pepperrc: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxPepperrc+1))
	if err != nil {
		return nil, fmt.Errorf("read ~/.pepperrc: %w", err)
	}
	if len(b) > maxPepperrc {
		return nil, fmt.Errorf("read ~/.pepperrc: larger than %d bytes", maxPepperrc)
	}
	return parseINI(b)
}

// parseINI reads sections like Python's ConfigParser: option names are case-insensitive, followed by
// "=" or ":"; comment lines begin with # or ;. Indented lines continue the value
// before them.
func parseINI(b []byte) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	var section map[string]string
	last, n := "", 0
	for line := range bytes.Lines(b) {
		n++
		text := strings.TrimSpace(string(line))
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
			continue
		case text[0] == '[' && text[len(text)-1] == ']':
			name := text[1 : len(text)-1]
			if out[name] == nil {
				out[name] = map[string]string{}
			}
			section, last = out[name], ""
			continue
		case section == nil:
			return nil, fmt.Errorf("read ~/.pepperrc: line %d is before the first section; begin with [main]", n)
		case (line[0] == ' ' || line[0] == '\t') && last != "":
			section[last] += "\n" + text
			continue
		}
		i := strings.IndexAny(text, "=:")
		if i <= 0 {
			return nil, fmt.Errorf("read ~/.pepperrc: line %d is neither a section nor NAME=VALUE", n) // the text may be a password
		}
		last = strings.ToLower(strings.TrimSpace(text[:i]))
		section[last] = strings.TrimSpace(text[i+1:])
	}
	return out, nil
}
