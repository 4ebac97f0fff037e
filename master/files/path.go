package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/momtree/mom/internal/config"
)

// Path is a path inside an environment that is safe to look up: relative, without "..", NUL and
// empty elements.
type Path struct {
	Rel string
	// Index selects one root of the environment, by "?index=N"; -1 means all.
	Index int
}

const maxPath = 4096 // the limit of Linux

// ErrRefused is wrapped, with fs.ErrNotExist, for paths that are never served.
var ErrRefused = errors.New("not served")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", fmt.Sprintf(format, args...), ErrRefused, fs.ErrNotExist)
}

// ParsePath parses a path as minions send it: without "salt://", followed by "?saltenv=ENV" and
// "?index=N" unless it begins with "|". env is the environment of the request. The result names the
// environment to use. A path that could leave a root is refused with an error that wraps
// [ErrRefused] and fs.ErrNotExist.
func ParsePath(text, env string) (Path, string, error) {
	p := Path{Index: -1}
	if rest, escaped := strings.CutPrefix(text, "|"); escaped {
		text = rest
	} else if before, query, ok := strings.Cut(text, "?"); ok {
		text = before
		query, _, _ = strings.Cut(query, "?")
		for part := range strings.SplitSeq(query, "&") {
			k, v, _ := strings.Cut(part, "=")
			switch k {
			case "saltenv":
				env = v
			case "index":
				n, err := number(v)
				if err != nil {
					return p, env, refuse("index %q", v)
				}
				p.Index = n
			}
		}
	}
	if err := CheckEnv(env); err != nil {
		return p, env, err
	}
	switch {
	case text == "", len(text) > maxPath:
		return p, env, refuse("a path of %d bytes", len(text))
	case strings.ContainsRune(text, 0):
		return p, env, refuse("path %q", text)
	case text[0] == '/':
		return p, env, refuse("path %q", text)
	}
	for element := range strings.SplitSeq(text, "/") {
		//mutant:cve2024-22232-served,files-paths
		if element == ".." {
			return p, env, refuse("path %q", text)
		}
	}
	p.Rel = path.Clean(text)
	if p.Rel == "." {
		return p, env, refuse("path %q", text)
	}
	return p, env, nil
}

func number(s string) (int, error) {
	n := 0
	if s == "" || len(s) > 6 {
		return 0, errors.New("not a number")
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, errors.New("not a number")
		}
		n = 10*n + int(c-'0')
	}
	return n, nil
}

// CheckEnv returns an error if env is not a valid name of an environment.
func CheckEnv(env string) error {
	if !config.ValidSaltenv(env) {
		return refuse("environment %.300q", env)
	}
	return nil
}
