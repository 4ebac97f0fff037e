package ext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

const (
	// maxTree limits what file_tree adds to one pillar, in bytes.
	maxTree = 32 << 20
	// maxTreeFiles limits the files and directories.
	maxTreeFiles = 50_000
	maxTreeDepth = 40
)

var treeArgs = []string{"root_dir", "follow_dir_links=", "debug=", "keep_newline=", "render_default=", "renderer_blacklist=", "renderer_whitelist=", "template="}

func init() {
	Register(Source{
		Name: "file_tree", Check: checkTree, Load: loadTree,
		Doc: `
The files below root_dir/nodegroups/GROUP and root_dir/hosts/ID: each folder is a mapping,
each file a text under its name. Files of the minion win over those of its groups.

root_dir
    The directory; a relative path is below each directory of the pillar environment.
follow_dir_links : False
    Follow links to folders. Links to files are always read.
keep_newline : False
    Keep a newline at the end of a file; or the patterns of paths where it is kept.
template : False
    Render the files, by the renderers that they name, else by render_default.
render_default
    The renderers for that; else those of the option renderer.
renderer_blacklist, renderer_whitelist
    Are those of the master here, and refused in an entry.
debug
    Has no effect.

    ext_pillar:
      - file_tree:
          root_dir: /srv/pillar_files
`,
	})
}

type tree struct {
	root     string
	links    bool
	keep     bool
	keepFor  []string
	template bool
	pipe     string
}

func checkTree(conf any) error {
	_, err := readTree(conf)
	return err
}

func readTree(conf any) (t tree, err error) {
	a, err := bind(conf, treeArgs...)
	if err != nil {
		return t, err
	}
	if a["renderer_blacklist"] != nil || a["renderer_whitelist"] != nil {
		return t, errors.New("renderer_blacklist and renderer_whitelist are options of the master, not of file_tree")
	}
	if t.root, err = a.text("root_dir"); err != nil {
		return t, err
	}
	if t.links, err = a.flag("follow_dir_links"); err != nil {
		return t, err
	}
	if t.template, err = a.flag("template"); err != nil {
		return t, err
	}
	if t.pipe, err = a.text("render_default"); err != nil {
		return t, err
	}
	if list, ok := a["keep_newline"].([]any); ok {
		for _, v := range list {
			t.keepFor = append(t.keepFor, fmt.Sprint(v))
		}
		return t, nil
	}
	t.keep, err = a.flag("keep_newline")
	return t, err
}

func loadTree(ctx context.Context, c *Call) (*value.Map, error) {
	t, err := readTree(c.Conf)
	if err != nil {
		return nil, err
	}
	id, err := plainID(c.ID)
	if err != nil {
		return nil, err
	}
	roots := []string{t.root}
	if !filepath.IsAbs(t.root) {
		if c.Pillarenv == "" {
			return nil, fmt.Errorf("root_dir %s is not an absolute path, and no pillarenv is set to look it up in", t.root)
		}
		roots = nil
		for _, dir := range c.Host.Folders(c.Pillarenv) {
			roots = append(roots, filepath.Join(dir, t.root))
		}
	}
	w := &treeWalk{tree: t, c: c, room: maxTree, left: maxTreeFiles}
	out := value.NewMap()
	for _, root := range roots {
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("root_dir %s does not exist or is not a directory", root)
		}
		for _, group := range slices.Sorted(maps.Keys(c.Config.Nodegroups)) {
			dir := filepath.Join(root, "nodegroups", group)
			if !filepath.IsLocal(group) || !isDir(dir) {
				continue
			}
			in, err := c.Host.Match(group, "nodegroup")
			if err != nil {
				return nil, fmt.Errorf("node group %s: %w", group, err)
			}
			if in {
				if err := w.folder(ctx, out, dir, "", 0); err != nil {
					return nil, err
				}
			}
		}
		if dir := filepath.Join(root, "hosts", id); isDir(dir) {
			if err := w.folder(ctx, out, dir, "", 0); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func isDir(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir()
}

// treeWalk reads directories into maps.
type treeWalk struct {
	tree
	c    *Call
	room int
	left int
}

// folder merges a directory into a map.
func (w *treeWalk) folder(ctx context.Context, into *value.Map, dir, rel string, depth int) error {
	if depth > maxTreeDepth {
		return fmt.Errorf("%s: directories nested more than %d deep; do links form a loop?", dir, maxTreeDepth)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.left--; w.left < 0 {
			return fmt.Errorf("more than %d files and directories", maxTreeFiles)
		}
		full, name := filepath.Join(dir, e.Name()), path.Join(rel, e.Name())
		st, err := os.Stat(full)
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", full, err)
		case st.IsDir():
			below, _ := into.GetKey(e.Name())
			m, ok := below.(*value.Map)
			if !ok {
				m = value.NewMap()
			}
			into.Set(e.Name(), m)
			if e.Type()&fs.ModeSymlink != 0 && !w.links {
				continue // Salt shows it empty
			}
			if err := w.folder(ctx, m, full, name, depth+1); err != nil {
				return err
			}
		case st.Mode().IsRegular():
			v, err := w.file(ctx, full, name, st.Size())
			if err != nil {
				return err
			}
			into.Set(e.Name(), v)
		default:
			w.c.Log.Error("file_tree: not a regular file", "path", full)
		}
	}
	return nil
}

// file reads one file.
func (w *treeWalk) file(ctx context.Context, full, rel string, size int64) (any, error) {
	if size > int64(w.room) {
		return nil, fmt.Errorf("%s: the files have more than %d bytes", full, maxTree)
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", full, err)
	}
	if w.room -= len(data); w.room < 0 {
		return nil, fmt.Errorf("%s: the files have more than %d bytes", full, maxTree)
	}
	if n := len(data); n > 0 && data[n-1] == '\n' && !w.keeps(rel) {
		data = data[:n-1]
	}
	if !w.template {
		return data, nil // bytes, as Salt sends them
	}
	v, err := w.c.Host.Render(ctx, data, w.pipe)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", full, err)
	}
	return v, nil
}

func (w *treeWalk) keeps(rel string) bool {
	if w.keep {
		return true
	}
	if !strings.Contains(rel, "/") {
		rel = "./" + rel // as Salt writes it
	}
	for _, p := range w.keepFor {
		if target.Glob(p, rel) || target.Glob(p, strings.TrimPrefix(rel, "./")) {
			return true
		}
	}
	return false
}
