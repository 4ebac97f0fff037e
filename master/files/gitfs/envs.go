package gitfs

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/master/gitrepo"
)

// known caches the environments of the current snapshots, which each request needs.
type known struct {
	of   []*gitrepo.Snapshot
	envs []string
}

// Envs lists the environments of all remotes, sorted.
func (b *backend) Envs(context.Context) ([]string, error) {
	of := make([]*gitrepo.Snapshot, len(b.remotes))
	for i, r := range b.remotes {
		var err error
		if of[i], err = r.repo.Snapshot(); err != nil {
			return nil, err
		}
	}
	if k := b.known.Load(); k != nil && slices.Equal(k.of, of) {
		return k.envs, nil
	}
	var out []string
	for i, r := range b.remotes {
		out = append(out, r.list(of[i])...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	b.known.Store(&known{of, out})
	return out, nil
}

// list returns the environments of a remote.
func (r *remote) list(s *gitrepo.Snapshot) (out []string) {
	if gitrepo.IsHex(r.base) { // a commit may have no ref
		out = append(out, "base")
	}
	for _, ref := range s.Refs() {
		name, branch := strings.CutPrefix(ref, "refs/remotes/")
		if branch && slices.Contains(r.types, gitrepo.Branch) {
			if _, rest, ok := strings.Cut(name, "/"); ok {
				name = rest
			}
			out = append(out, r.of(name)...)
		} else if name, tag := strings.CutPrefix(ref, "refs/tags/"); tag && slices.Contains(r.types, gitrepo.Tag) {
			out = append(out, r.of(name)...)
		}
	}
	for _, envs := range r.mapped {
		out = append(out, envs...)
	}
	return slices.DeleteFunc(out, func(env string) bool { return !r.envs.Shown(env) })
}

// of returns the environments that a branch or tag stands for.
func (r *remote) of(name string) []string {
	switch envs, mapped := r.mapped[name]; {
	case mapped:
		return envs
	case name == r.base:
		return []string{"base"}
	case r.noMapping:
		return nil
	}
	return []string{name}
}

// serves reports whether a remote may have an environment: one that any remote has, the hash of a
// commit, or with fallback any.
func (b *backend) serves(ctx context.Context, r *remote, env string) (bool, error) {
	if !r.envs.Shown(env) {
		return false, nil
	}
	if gitrepo.IsHex(env) || r.fallback != "" {
		return true, nil
	}
	envs, err := b.Envs(ctx)
	return slices.Contains(envs, env), err
}

// ref returns the ref of an environment in a remote; ok is false if there is no such ref.
func (r *remote) ref(env string) (ref string, ok bool) {
	if r.all != "" {
		return r.all, true
	}
	if env == "base" {
		return r.base, true
	}
	if p := r.own[env].ref; p != nil {
		return *p, true
	}
	if p := r.global[env].ref; p != nil {
		return *p, true
	}
	return env, !r.noMapping
}

// place returns the directory of a remote that an environment serves, and the path under which it
// does.
func (r *remote) place(env string) (root, mount string) {
	root, mount = r.root, r.mount
	for _, p := range []place{r.global[env], r.own[env]} {
		if p.root != nil {
			root = *p.root
		}
		if p.mount != nil {
			mount = *p.mount
		}
	}
	return root, mount
}

// tree finds the tree of an environment; ok is false if the remote lacks it.
func (r *remote) tree(s *gitrepo.Snapshot, env string) (t gitrepo.Tree, ok bool, err error) {
	ref, ok := r.ref(env)
	if !ok {
		return t, false, nil
	}
	if t, ok, err = s.Tree(r.types, ref); ok || err != nil || r.fallback == "" {
		return t, ok, err
	}
	return s.Tree(r.types, r.fallback)
}
