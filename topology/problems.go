package topology

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// Limits beyond which vitals are problems.
const (
	// MaxSkew is the limit of a node's clock skew to its parent.
	MaxSkew = 5 * time.Second
	// MaxPendingAge is the limit of the age of an outbox row.
	MaxPendingAge = time.Minute
)

// Problems returns the problems of a tree, sorted by path and kind. Paths begin with the id of the
// tree's own node. It takes time linear in nodes and minions.
func Problems(n Node) []Problem {
	return sorted(append(NodeProblems(n), minionProblems(n)...))
}

// NodeProblems returns the problems of nodes only. It does not visit minions, so it is cheap in a
// large tree.
func NodeProblems(n Node) []Problem {
	f := finder{root: n, places: map[string][]place{}}
	f.visit(n.ID, n, false)
	f.twins()
	return sorted(f.out)
}

func sorted(ps []Problem) []Problem {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if a.Path != b.Path {
			return a.Path < b.Path
		}
		return a.Kind < b.Kind || a.Kind == b.Kind && a.Detail < b.Detail
	})
	return ps
}

// place is the location of a node.
type place struct {
	path  string
	life  string
	since time.Time
}

type finder struct {
	root   Node
	places map[string][]place // of reachable nodes, by id
	out    []Problem
}

func (f *finder) add(kind Kind, path string, since time.Time, format string, args ...any) {
	f.out = append(f.out, Problem{Kind: kind, Path: path, Detail: fmt.Sprintf(format, args...), Since: since, tier: strings.Count(path, "/") - 1})
}

// visit checks a reachable node and those below. Behind a node that is down it only reports that
// node.
func (f *finder) visit(path string, n Node, below bool) {
	if n.State == Down {
		nodes, minions, _ := n.Count()
		f.add(NodeDown, path, n.Since, "not connected; %s and %s are behind it; start it, or see in its log why it does not reach its parent", count(nodes, "node"), count(minions, "minion"))
		return
	}
	f.places[n.ID] = append(f.places[n.ID], place{path, n.Life, n.Since})
	for _, p := range n.Problems {
		at := path
		if p.Path != "" {
			at = join(path, p.Path)
		}
		f.add(p.Kind, at, p.Since, "%s", p.Detail)
	}
	v := n.Vitals
	if v.PendingAge > MaxPendingAge {
		f.add(Backlog, path, time.Time{}, "%s pending, the oldest for %s; is its parent or its database away?", count(v.Pending, "row"), Span(v.PendingAge))
	}
	if below && v.Skew.Abs() > MaxSkew {
		f.add(ClockSkew, path, time.Time{}, "its clock is %s off its parent's; let both keep the time by NTP", Signed(v.Skew))
	}
	if below && n.Version != "" && f.root.Version != "" && n.Version != f.root.Version {
		f.add(VersionSkew, path, time.Time{}, "runs version %s, the top %s; upgrade from the top down", n.Version, f.root.Version)
	}
	for _, c := range n.Nodes {
		f.visit(join(path, c.ID), c, true)
	}
}

// twins finds ids at several places. One node below several masters has one life, which is no
// problem. Nodes without a life cannot be distinguished.
func (f *finder) twins() {
	for id, places := range f.places {
		lives := map[string]bool{}
		var paths []string
		for _, p := range places {
			if p.life == "" || lives[p.life] {
				continue
			}
			lives[p.life] = true
			paths = append(paths, p.path)
		}
		if len(lives) < 2 {
			continue
		}
		slices.Sort(paths)
		f.add(DuplicateNode, paths[0], time.Time{}, "another node has the id %s too: %s; give each its own `id` and key", id, strings.Join(paths[1:], ", "))
		f.out[len(f.out)-1].tier = shared(paths) - 1
	}
}

// shared returns the length of the common prefix of paths, without the last part of each.
func shared(paths []string) int {
	first := strings.Split(paths[0], "/")
	n := len(first) - 1
	for _, p := range paths[1:] {
		parts := strings.Split(p, "/")
		k := 0
		for k < min(n, len(parts)-1) && parts[k] == first[k] {
			k++
		}
		n = k
	}
	return n
}
