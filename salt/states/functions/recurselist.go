package functions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// listing is what file.recurse keeps of its source.
type listing struct {
	links []keptLink
	dirs  []string // paths of this host
	files []string // below the source
}

// keptLink is a link of the source that stays a link (keep_symlinks).
type keptLink struct{ rel, target string }

// paths returns the paths on this host that are kept.
func (l listing) paths(name string) []string {
	out := slices.Clone(l.dirs)
	for _, link := range l.links {
		out = append(out, filepath.Join(name, link.rel))
	}
	for _, rel := range l.files {
		out = append(out, filepath.Join(name, rel))
	}
	return out
}

// behind reports whether a path of the source lies behind one of the links.
func (l listing) behind(rel string) bool {
	return slices.ContainsFunc(l.links, func(link keptLink) bool { return strings.HasPrefix(rel, link.rel+"/") })
}

// taken reports whether a path below the folder is wanted.
func (r *recursion) taken(rel string) bool {
	if pat := r.Value("include_pat"); pyfmt.Truth(pat) && !excluded(rel, pat) {
		return false
	}
	if excluded(rel, r.Value("exclude_pat")) {
		return false
	}
	n, limited := r.Value("maxdepth").(int64)
	return !limited || int64(strings.Count(rel, "/")) <= n
}

// listing lists the wanted files of the source. folders are those of the source, including
// itself.
func (r *recursion) listing(ctx context.Context, env, folder string, folders []string) (l listing, err error) {
	if l.links, err = r.links(ctx, env, folder); err != nil {
		return l, err
	}
	names, err := r.Env.Files().List(ctx, fileclient.Files, env, folder+"/")
	if err != nil {
		return l, err
	}
	note := func(dir string) {
		if !slices.Contains(l.dirs, dir) {
			l.dirs = append(l.dirs, dir)
		}
	}
	var linked []string
	for _, n := range names {
		// A source lists every path with the folder's name as prefix, also one beside the
		// folder.
		rel, below := strings.CutPrefix(n, folder+"/")
		if !below || !r.taken(rel) || l.behind(rel) {
			continue
		}
		note(filepath.Dir(filepath.Join(r.name, rel)))
		if slices.ContainsFunc(l.links, func(link keptLink) bool { return rel == link.rel }) {
			linked = append(linked, rel)
			continue
		}
		l.files = append(l.files, rel)
	}
	// A link to an existing file counts as a file too, after the others.
	l.files = append(l.files, linked...)
	if !r.Truth("include_empty") {
		return l, nil
	}
	for _, d := range folders {
		rel, below := strings.CutPrefix(d, folder+"/")
		if d == folder {
			rel, below = ".", true // as Salt lists it, with the full path
		}
		if below && r.taken(rel) && !l.behind(rel) {
			note(r.name + "/" + rel)
		}
	}
	return l, nil
}

// links returns the links of the source that stay links.
func (r *recursion) links(ctx context.Context, env, folder string) (out []keptLink, err error) {
	if !r.Truth("keep_symlinks") {
		return nil, nil
	}
	all, err := r.Env.Files().Symlinks(ctx, env, folder+"/")
	all.Range(func(k, target any) bool {
		if rel, below := strings.CutPrefix(pystr(k), folder+"/"); below && r.taken(rel) {
			out = append(out, keptLink{rel, pystr(target)})
		}
		return true
	})
	slices.SortFunc(out, func(a, b keptLink) int { return strings.Compare(a.rel, b.rel) })
	return out, err
}

// recursed returns the paths that a file.recurse of this run keeps, given its chunk.
func (c *Call) recursed(ctx context.Context, low *value.Map) ([]string, error) {
	call := *c.Call
	call.Args = low
	one := *c
	one.Call = &call
	r := &recursion{Call: &one, name: expand(pystr(get(low, "name")))}
	folder, env := fileclient.Split(strings.TrimRight(pystr(get(low, "source")), "/"))
	if env == "" {
		env = c.Saltenv
	}
	folders, err := c.Env.Files().List(ctx, fileclient.Folders, env, folder)
	if err != nil {
		return nil, err
	}
	list, err := r.listing(ctx, env, folder, folders)
	return list.paths(r.name), err
}
