package gitfs

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/master/gitrepo"
)

// known are the environments of snapshots, which are asked for with each request.
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

// list is what a remote has of environments.
func (r *remote) list(s *gitrepo.Snapshot) (out []string) {
	if gitrepo.IsHex(r.base) { // it may be a commit, which no ref shows
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

// of are the environments that a branch or tag is.
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

// serves tells whether an environment is looked for in a remote: one that any remote has,
// the hash of a commit, or with fallback every one.
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

// ref is what an environment means in a remote; ok is false where it means nothing.
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

// place is which folder of a remote an environment has, and under which path.
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

// tree finds the tree of an environment; ok is false where the remote does not have it.
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
