package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Form selects the entries of a list.
type Form int

// The forms of [Server.List].
const (
	Files Form = iota
	Dirs
	EmptyDirs
	forms
)

func (l *List) form(f Form) []string {
	switch f {
	case Dirs:
		return l.Dirs
	case EmptyDirs:
		return l.EmptyDirs
	}
	return l.Files
}

type listKey struct{ back, env string }

// kept is the cached list of one environment of a backend, with its encoded forms: minions that
// synchronize ask for all files of an environment again and again.
type kept struct {
	*List
	at      time.Time
	encoded [forms]func() (wire.Raw, error)
}

func keep(l *List, at time.Time) *kept {
	k := &kept{List: l, at: at}
	for f := range forms {
		k.encoded[f] = sync.OnceValues(func() (wire.Raw, error) { return wire.Encode(l.form(f)) })
	}
	return k
}

// list returns the list of an environment of a backend, from the cache if it is fresh. An
// environment that the backend lacks has an empty list.
func (s *Server) list(ctx context.Context, back, env string) (*kept, error) {
	key := listKey{back, env}
	fresh := func() (*kept, bool) {
		k, ok := s.lists.Get(key)
		age := s.now().Sub(timeOf(k))
		return k, ok && age >= 0 && age < s.cfg.FileserverListCacheTime
	}
	if k, ok := fresh(); ok {
		return k, nil
	}
	done := s.listing.DoChan(back+"\x00"+env, func() (any, error) {
		if k, ok := fresh(); ok {
			return k, nil
		}
		at := s.now()
		l, err := s.backend(back).List(s.ctx, env)
		if errors.Is(err, fs.ErrNotExist) {
			l, err = &List{}, nil
		}
		if err != nil {
			s.fault(back, "list", env, err)
			return nil, fmt.Errorf("backend %s: list environment %s: %w", back, env, err)
		}
		k := keep(l, at)
		s.lists.Add(key, k)
		return k, nil
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*kept), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func timeOf(k *kept) time.Time {
	if k == nil {
		return time.Time{}
	}
	return k.at
}

// each returns the lists of an environment by the named backends. An invalid environment has no
// lists.
func (s *Server) each(ctx context.Context, env, backends string) ([]*kept, error) {
	if CheckEnv(env) != nil {
		return nil, nil
	}
	var out []*kept
	for _, name := range s.Backends(backends) {
		k, err := s.list(ctx, name, env)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// List lists an environment by the named backends ("" means all): the sorted paths that begin with
// prefix, which may have slashes at both ends. An unknown environment has none. The caller must not
// change the result.
func (s *Server) List(ctx context.Context, env string, form Form, prefix, backends string) ([]string, error) {
	each, err := s.each(ctx, env, backends)
	if err != nil {
		return nil, err
	}
	return union(each, form, strings.Trim(prefix, "/")), nil
}

func union(each []*kept, form Form, prefix string) []string {
	var out []string
	for i, k := range each {
		paths := k.form(form)
		if prefix != "" {
			from, _ := slices.BinarySearch(paths, prefix)
			to := from
			for to < len(paths) && strings.HasPrefix(paths[to], prefix) {
				to++
			}
			paths = paths[from:to]
		}
		if i == 0 {
			out = paths
		} else if len(paths) > 0 {
			out = slices.Concat(out, paths)
			slices.Sort(out)
			out = slices.Compact(out)
		}
	}
	return out
}

// ListRaw is [Server.List] in wire encoding.
func (s *Server) ListRaw(ctx context.Context, env string, form Form, prefix, backends string) (wire.Raw, error) {
	each, err := s.each(ctx, env, backends)
	if err != nil {
		return nil, err
	}
	prefix = strings.Trim(prefix, "/")
	each = slices.DeleteFunc(each, func(k *kept) bool { return len(k.form(form)) == 0 })
	if len(each) == 1 && prefix == "" {
		return each[0].encoded[form]()
	}
	if prefix == "" {
		return s.together(joinedKey{env, strings.Join(s.Backends(backends), ","), form}, each)
	}
	return encoded(each, form, prefix)
}

// joinedKey is the cache key of a joined list.
type joinedKey struct {
	env, backends string
	form          Form
}

// joinedLists caches the joined lists of several backends.
type joinedLists struct {
	of      []*kept
	encoded func() (wire.Raw, error)
}

func (s *Server) together(key joinedKey, each []*kept) (wire.Raw, error) {
	j, ok := s.joined.Get(key)
	//mutant:files-joined-once
	if !ok || !slices.Equal(j.of, each) {
		j = &joinedLists{each, sync.OnceValues(func() (wire.Raw, error) { return encoded(each, key.form, "") })}
		s.joined.Add(key, j)
	}
	return j.encoded()
}

func encoded(each []*kept, form Form, prefix string) (wire.Raw, error) {
	paths := union(each, form, prefix)
	if paths == nil {
		paths = []string{}
	}
	return wire.Encode(paths)
}

// Links returns the symbolic links of an environment by the named backends ("" means all) whose
// paths begin with prefix, with their targets as written, sorted. If several backends have a path,
// the first one's link is used.
func (s *Server) Links(ctx context.Context, env, prefix, backends string) (*value.Map, error) {
	each, err := s.each(ctx, env, backends)
	if err != nil {
		return nil, err
	}
	prefix = strings.Trim(prefix, "/")
	all := map[string]string{}
	for _, k := range slices.Backward(each) {
		for link, to := range k.Links {
			if strings.HasPrefix(link, prefix) {
				all[link] = to
			}
		}
	}
	out := value.NewMap()
	for _, link := range slices.Sorted(maps.Keys(all)) {
		out.Set(link, all[link])
	}
	return out, nil
}

// ClearLists drops the cached lists of the named backends ("" means all) and environments (none
// means all). It returns the dropped ones by backend.
func (s *Server) ClearLists(envs []string, backends string) *value.Map {
	cleared := map[string][]string{}
	names := s.Backends(backends)
	for _, k := range s.lists.Keys() {
		if !slices.Contains(names, k.back) || len(envs) > 0 && !slices.Contains(envs, k.env) {
			continue
		}
		if s.lists.Remove(k) {
			cleared[k.back] = append(cleared[k.back], k.env)
		}
	}
	out := value.NewMap()
	for _, back := range slices.Sorted(maps.Keys(cleared)) {
		slices.Sort(cleared[back])
		out.Set(back, wire.AnyList(cleared[back]))
	}
	return out
}
