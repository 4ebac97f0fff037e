package topology

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// maxMinionProblems bounds the minions reported as connected twice.
	maxMinionProblems = 1000
	// maxDownNamed bounds the minions of a node named as down; others are counted.
	maxDownNamed = 20
)

// connection is a node to which a minion is connected.
type connection struct{ path, node string }

// minionProblems returns minions connected to several nodes, and counts those connected to none. A
// node below two masters counts once.
func minionProblems(n Node) (out []Problem) {
	first := map[string]int32{}
	var at []connection
	reached(n, func(path string, n Node) {
		here := int32(len(at))
		at = append(at, connection{path, n.ID})
		for _, m := range n.Minions {
			if m.State != Up {
				continue
			}
			other, twice := first[m.ID]
			if !twice {
				first[m.ID] = here
				continue
			}
			if len(out) < maxMinionProblems {
				out = append(out, Problem{
					Kind: DuplicateMinion, Path: join(path, m.ID),
					Detail: fmt.Sprintf("connected here and at %s, which is as it should be if its `master` lists both; else two machines share one id and key", at[other].path),
				})
			}
		}
	})
	named := map[string]bool{} // of several nodes with its key, one names it
	reached(n, func(path string, n Node) {
		var down []string
		for _, m := range n.Minions {
			if m.State != Down {
				continue
			}
			if _, elsewhere := first[m.ID]; !elsewhere && !named[m.ID] { // otherwise it moved
				named[m.ID] = true
				down = append(down, m.ID)
			}
		}
		//mutant:minions-down-are-a-problem
		if len(down) > 0 {
			out = append(out, minionsDown(path, down))
		}
	})
	return out
}

func minionsDown(path string, ids []string) Problem {
	slices.Sort(ids)
	names := strings.Join(ids[:min(len(ids), maxDownNamed)], ", ")
	if more := len(ids) - maxDownNamed; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return Problem{
		Kind: MinionsDown, Path: path, tier: strings.Count(path, "/"),
		Detail: fmt.Sprintf("%s not connected: %s; start them, or delete the keys of those that are gone for good", count(len(ids), "minion"), names),
	}
}

// reached visits the reachable nodes, each life once.
func reached(n Node, visit func(path string, n Node)) {
	lives := map[string]bool{}
	var walk func(path string, n Node)
	walk = func(path string, n Node) {
		if n.State == Down || n.Life != "" && lives[n.Life] {
			return
		}
		lives[n.Life] = true
		visit(path, n)
		for _, c := range n.Nodes {
			walk(join(path, c.ID), c)
		}
	}
	walk(n.ID, n)
}
