package auth

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fileForm is the format of the lines of a password file.
type fileForm struct {
	kind           string // text, htpasswd or htdigest
	realm          string // of htdigest
	hash           string // of text: plaintext, or a hash_type
	separator      string
	name, password int // fields of text, the first is 0
}

// passwords is the content of a password file.
type passwords struct {
	of    map[string]verifier
	decoy verifier // what an unknown name is held against; nil in an empty file
}

// wrongLine is an invalid line of a password file.
type wrongLine struct {
	line int // the first is 1
	err  error
}

// maxLine bounds a line, in bytes.
const maxLine = 64 << 10

// readPasswords parses a password file. It skips empty lines and those that start with #; of several
// lines with one name the first counts. Errors contain no text of their line.
func readPasswords(r io.Reader, form fileForm) (passwords, []wrongLine) {
	out := passwords{of: map[string]verifier{}}
	var wrong []wrongLine
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, v, err := form.parse(line)
		if err == nil {
			err = checkName(name)
		}
		switch _, taken := out.of[name]; {
		case err != nil:
			wrong = append(wrong, wrongLine{n, err})
		case v == nil: // of another realm
		case taken:
			wrong = append(wrong, wrongLine{n, errors.New("duplicate name; the first line counts")})
		default:
			out.of[name] = v
			if out.decoy == nil {
				out.decoy = v
			}
		}
	}
	if sc.Err() != nil {
		wrong = append(wrong, wrongLine{n + 1, fmt.Errorf("longer than %d bytes; the rest of the file is not read", maxLine)})
	}
	return out, wrong
}

// parse parses a line. v is nil if the line is of another realm.
func (f fileForm) parse(line string) (name string, v verifier, err error) {
	switch f.kind {
	case "htpasswd":
		name, hash, ok := strings.Cut(line, ":")
		if !ok {
			return "", nil, errors.New("not of the form name:hash")
		}
		v, err := htpasswdHash(hash)
		return name, v, err
	case "htdigest":
		parts := strings.Split(line, ":")
		if len(parts) != 3 {
			return "", nil, errors.New("not of the form name:realm:hash")
		}
		if parts[1] != f.realm {
			return parts[0], nil, nil
		}
		v, err := newHexHash("md5", parts[2], func(name, password string) string { return name + ":" + f.realm + ":" + password })
		return parts[0], v, err
	}
	fields := strings.Split(line, f.separator)
	if len(fields) <= max(f.name, f.password) {
		return "", nil, fmt.Errorf("%d fields; want the name in field %d and the password in field %d", len(fields), f.name+1, f.password+1)
	}
	name, hash := fields[f.name], fields[f.password]
	switch {
	case hash == "":
		return name, nil, errors.New("the password is empty")
	case f.hash == "plaintext":
		return name, newPlain(hash), nil
	}
	v, err = newHexHash(f.hash, hash, func(_, password string) string { return password })
	return name, v, err
}
