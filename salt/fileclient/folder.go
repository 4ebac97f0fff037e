package fileclient

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
)

// Folder fetches a folder of an environment with its content into dest; the paths below
// dest begin with the folder's base name. It returns the paths written, sorted.
func (c *Client) Folder(ctx context.Context, source, dest string, w Want) ([]string, error) {
	path, env, err := folderOf(source, w.saltenv())
	if err != nil {
		return nil, err
	}
	cut := strings.LastIndexByte(path, '/') + 1
	got := []string{}
	files, err := c.below(ctx, Files, env, path)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		to, err := inside(dest, name[cut:])
		if err != nil {
			return nil, err
		}
		w := w
		w.Saltenv, w.Makedirs = env, true
		if to, err = c.fetch(ctx, URL(name), to, w, false); err != nil {
			return nil, err
		}
		got = append(got, to)
	}
	empty, err := c.below(ctx, EmptyDirs, env, path)
	if err != nil {
		return nil, err
	}
	for _, name := range empty {
		to, err := inside(dest, name[cut:])
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, err
		}
		got = append(got, to)
	}
	slices.Sort(got)
	return got, nil
}

// folderOf parses the address of a folder; path is "" for the whole environment.
func folderOf(source, saltenv string) (path, env string, err error) {
	if !IsURL(source) {
		return "", "", fmt.Errorf("Unsupported path: %s", source)
	}
	path, env = Split(source)
	if env == "" {
		env = saltenv
	}
	if path = strings.TrimRight(bare(path), "/"); path != "" {
		err = check("path", path)
	}
	if err == nil {
		err = check("environment", env)
	}
	return path, env, err
}

// below lists the paths in a folder of an environment.
func (c *Client) below(ctx context.Context, kind Kind, env, path string) ([]string, error) {
	names, err := c.List(ctx, kind, env, path)
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "." || path != "" && !strings.HasPrefix(name, path+"/")
	}), err
}

// CacheFolder fetches files of a folder into the cache. include and exclude are patterns: a
// glob, or a regular expression after E@; "" selects all files. With empty, it also creates
// empty folders. It returns the paths in the cache.
func (c *Client) CacheFolder(ctx context.Context, source string, w Want, empty bool, include, exclude string) ([]string, error) {
	path, env, err := folderOf(source, w.saltenv())
	if err != nil {
		return nil, err
	}
	files, err := c.below(ctx, Files, env, path)
	if err != nil {
		return nil, err
	}
	got := []string{}
	for _, name := range files {
		ok, err := wanted(name, include, exclude)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		w := w
		w.Saltenv = env
		place, err := c.Cache(ctx, URL(name), w)
		if err != nil {
			return nil, err
		}
		got = append(got, place)
	}
	if !empty {
		return got, nil
	}
	dirs, err := c.below(ctx, EmptyDirs, env, path)
	if err != nil {
		return nil, err
	}
	for _, name := range dirs {
		place, err := inside(filepath.Join(c.o.Cachedir, "files", env), name)
		if err != nil {
			return nil, err
		}
		if err := c.folder(place); err != nil {
			return nil, err
		}
		got = append(got, place)
	}
	return got, nil
}

// wanted applies the two patterns to a path.
func wanted(name, include, exclude string) (bool, error) {
	for _, p := range []struct {
		pattern string
		want    bool
	}{{include, true}, {exclude, false}} {
		if p.pattern == "" {
			continue
		}
		var hit bool
		if expr, ok := strings.CutPrefix(p.pattern, "E@"); ok {
			re, err := regexp.Compile(expr)
			if err != nil {
				return false, fmt.Errorf("the pattern %q: %w", p.pattern, err)
			}
			hit = re.MatchString(name)
		} else {
			hit = target.Glob(p.pattern, name)
		}
		if hit != p.want {
			return false, nil
		}
	}
	return true, nil
}
