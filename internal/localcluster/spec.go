package localcluster

import (
	"errors"
	"fmt"
	"strings"
)

// Spec is a node of the tree to write, with everything below it.
type Spec struct {
	ID      string
	Minions []string
	Nodes   []Spec
	// Master and Minion are additional lines of the two configuration files. Minion applies to
	// all minions of the node.
	Master, Minion string
}

// Parse parses a tree drawn by indentation: a node on each line, its minions after a colon, two
// blanks per tier.
//
//	top: top-01
//	  syndic-a: web-01 web-02
//	    syndic-c: db-01
//	  syndic-b: web-03
func Parse(text string) (Spec, error) {
	type at struct {
		depth int
		spec  *Spec
	}
	var root *Spec
	var stack []at
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		blanks := len(line) - len(strings.TrimLeft(line, " "))
		if blanks%2 != 0 || line[blanks] == '\t' {
			return Spec{}, fmt.Errorf("line %d: a tier stands in by two blanks more than the one above it", i+1)
		}
		depth := blanks / 2
		id, minions, _ := strings.Cut(strings.TrimSpace(line), ":")
		s := Spec{ID: id, Minions: strings.Fields(minions)}
		if root == nil {
			root = &s
			stack = []at{{depth, root}}
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1].depth >= depth {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return Spec{}, fmt.Errorf("line %d: %s stands beside the top; a tree has one top", i+1, id)
		}
		if top := stack[len(stack)-1].depth; depth > top+1 {
			return Spec{}, fmt.Errorf("line %d: %s stands in by %d blanks; below the node above it that would be %d", i+1, id, blanks, 2*(top+1))
		}
		up := stack[len(stack)-1].spec
		up.Nodes = append(up.Nodes, s)
		// Pointers into a slice that grows: those of finished siblings are not on the stack any
		// more, and the new one is the last.
		stack = append(stack, at{depth, &up.Nodes[len(up.Nodes)-1]})
	}
	if root == nil {
		return Spec{}, errors.New("a tree has at least its top")
	}
	return *root, nil
}

// Count returns the number of nodes, including the top, and of minions.
func (s Spec) Count() (nodes, minions int) {
	nodes, minions = 1, len(s.Minions)
	for _, c := range s.Nodes {
		n, m := c.Count()
		nodes, minions = nodes+n, minions+m
	}
	return nodes, minions
}
