package modules

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/text"
)

func init() {
	path := Arg{Name: "path", Required: true}
	for _, f := range []struct {
		name, what string
		run        func(context.Context, *Call) (any, error)
	}{
		{"append", "Add lines to the end of the file path.", fileAppend},
		{"prepend", "Add lines to the beginning of the file path.", filePrepend},
		{"write", "Write lines to the file path and replace its content.", fileWrite},
	} {
		Register("file", Function{Name: f.name, Args: []Arg{path}, VarArgs: true, VarKw: true, Run: f.run, Doc: `
` + f.what + ` A line with an equal sign, or a list of
lines, is given as args.

CLI Example:

    salt '*' file.` + f.name + ` /etc/motd "With all thine offerings thou shalt offer salt."
    salt '*' file.` + f.name + ` /etc/motd args="['cheese=spam','spam=cheese']"
`})
	}
	Register("file",
		Function{Name: "contains", Args: []Arg{path, {Name: "text", Required: true}}, Run: fileContains, Doc: `
Return whether the file path contains text, without the white space at its ends.

CLI Example:

    salt '*' file.contains /etc/crontab 'mymaintenance.sh'
`},
		Function{Name: "contains_regex", Args: []Arg{path, {Name: "regex", Required: true}, {Name: "lchar", Default: ""}}, Run: fileContainsRegex, Doc: `
Return whether a Python regular expression (regex) matches in a line of the file
path, after removing the leading characters lchar of the line.

CLI Example:

    salt '*' file.contains_regex /etc/crontab '^\d+ 4 '
`},
		Function{Name: "contains_glob", Args: []Arg{path, {Name: "glob_expr", Required: true}}, Run: fileContainsGlob, Doc: `
Return whether the glob glob_expr matches the whole content of the file path.

CLI Example:

    salt '*' file.contains_glob /etc/foobar '*cheese*'
`},
	)
}

// newLines returns the lines that a call adds.
func (c *Call) newLines() ([]string, error) {
	lines := c.Rest()
	var err error
	c.Kwargs.Range(func(k, v any) bool {
		switch name := PyStr(k); {
		case name == "args":
			if list, ok := v.([]any); ok {
				lines = list
			} else {
				lines = []any{v}
			}
		case !strings.HasPrefix(name, "__"):
			err = InvocationErrorf("%s is not an argument of %s; give lines in order, or as args", name, c.Fun)
		}
		return err == nil
	})
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = PyStr(l) + "\n"
	}
	return out, err
}

func fileAppend(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	lines, err := c.newLines()
	if err != nil {
		return nil, err
	}
	f, st, err := openRegular(path, os.O_RDWR)
	if err != nil {
		return nil, osFault(err)
	}
	defer f.Close()
	added := strings.Join(lines, "")
	if size := st.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return nil, osFault(err)
		}
		if last[0] != '\n' {
			added = "\n" + added
		}
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, osFault(err)
	}
	if _, err := f.WriteString(added); err != nil {
		return nil, osFault(err)
	}
	return fmt.Sprintf(`Wrote %d lines to "%s"`, len(lines), path), nil
}

func filePrepend(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	lines, err := c.newLines()
	if err != nil {
		return nil, err
	}
	old, err := readWhole(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, osFault(err)
	}
	if err := putText(path, strings.Join(lines, "")+old); err != nil {
		return nil, err
	}
	return fmt.Sprintf(`Prepended %d lines to "%s"`, len(lines), path), nil
}

func fileWrite(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	lines, err := c.newLines()
	if err != nil {
		return nil, err
	}
	if err := putText(path, strings.Join(lines, "")); err != nil {
		return nil, err
	}
	return fmt.Sprintf(`Wrote %d lines to "%s"`, len(lines), path), nil
}

// putText writes a file, which may be new.
func putText(path, data string) error {
	if absentPath(path) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return osFault(err)
		}
		_, err = f.WriteString(data)
		return osFault(errors.Join(err, f.Close()))
	}
	return osFault(writeOver(path, data, true))
}

// searched opens a file to search. It returns nil for a file that cannot be opened, which
// has no match.
func (c *Call) searched() (*os.File, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	f, _, err := openRegular(path, os.O_RDONLY)
	if errors.Is(err, errNotRegular) {
		return nil, osFault(err)
	}
	return f, nil // as in Salt, an unreadable file has no match
}

func fileContains(ctx context.Context, c *Call) (any, error) {
	f, err := c.searched()
	if f == nil {
		return false, err
	}
	defer f.Close()
	want := strings.TrimSpace(c.Str("text"))
	return windows(ctx, f, len(want), func(part string) (bool, error) { return strings.Contains(part, want), nil })
}

// windowSize is how many bytes of a file are searched at once.
const windowSize = 1 << 20

// windows searches a file in pieces. Each piece begins with the last keep bytes of the
// previous one.
func windows(ctx context.Context, f io.Reader, keep int, look func(part string) (bool, error)) (bool, error) {
	buf, have := make([]byte, keep+windowSize), 0
	for {
		n, err := io.ReadFull(f, buf[have:])
		have += n
		if hit, err := look(string(buf[:have])); hit || err != nil {
			return hit, err
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil
		case err != nil:
			return false, osFault(err)
		case ctx.Err() != nil:
			return false, ctx.Err()
		}
		have = copy(buf, buf[have-keep:have])
	}
}

func fileContainsRegex(ctx context.Context, c *Call) (any, error) {
	re, err := text.Compile(c.Str("regex"), int64(0))
	if err != nil {
		return nil, textFault(err)
	}
	f, err := c.searched()
	if f == nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxEdited)
	lines.Split(lineWithEnd)
	for lines.Scan() {
		line := lines.Text()
		if lchar := c.Str("lchar"); lchar != "" {
			line = strings.TrimLeft(line, lchar)
		}
		if hit, err := re.Match(line); hit || err != nil {
			return hit, textFault(err)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, CommandErrorf("%s has a line of more than %d bytes, which is not searched", c.path("path"), maxEdited)
	}
	return false, osFault(lines.Err())
}

var lineEnds = regexp.MustCompile(`\r\n|\r|\n`)

// lineWithEnd splits a file at \n, \r and \r\n, and keeps the line ends.
func lineWithEnd(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := lineEnds.FindIndex(data)
	switch {
	case end != nil && (end[1] < len(data) || data[end[0]] == '\n' || atEOF):
		return end[1], data[:end[1]], nil
	case atEOF && len(data) > 0:
		return len(data), data, nil
	}
	return 0, nil, nil
}

func fileContainsGlob(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil || absentPath(path) {
		return false, err
	}
	body, err := readWhole(path)
	if err != nil {
		return nil, osFault(err)
	}
	return target.Glob(c.Str("glob_expr"), body), nil
}
