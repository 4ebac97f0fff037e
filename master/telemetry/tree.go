package telemetry

import (
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/topology"
)

// problemKinds are the values of a label. Other kinds, from newer nodes below, are "other".
var problemKinds = []topology.Kind{
	topology.Loop, topology.DuplicateNode, topology.DuplicateMinion, topology.ClockSkew, topology.VersionSkew,
	topology.Partition, topology.NodeDown, topology.Backlog, topology.Degraded, topology.StaleJob,
}

func collectTree(s *metrics.Sink, root topology.Node) {
	problems := map[topology.Kind]int{"other": 0}
	for _, k := range problemKinds {
		problems[k] = 0
	}
	for _, p := range topology.NodeProblems(root) {
		if _, known := problems[p.Kind]; !known {
			p.Kind = "other"
		}
		problems[p.Kind]++
	}
	for kind, n := range problems {
		s.Set("mom_tree_problems", float64(n), string(kind))
	}
	s.Set("mom_parent_lag_seconds", root.Vitals.Lag.Seconds())
	s.Set("mom_parent_skew_seconds", root.Vitals.Skew.Seconds())
	nodes := map[topology.State]int{topology.Up: 0, topology.Down: 0, topology.Unknown: 0}
	minions := root.MinionStates()
	countStates(root, topology.Up, nodes)
	nodes[topology.Up]-- // this one
	for _, state := range []topology.State{topology.Up, topology.Down, topology.Unknown} {
		s.Set("mom_tree_nodes", float64(nodes[state]), string(state))
		s.Set("mom_tree_minions", float64(minions[state]), string(state))
	}
}

// countStates counts the nodes of a subtree. Nodes behind one that is down are unknown.
func countStates(n topology.Node, above topology.State, nodes map[topology.State]int) {
	if above == topology.Down {
		nodes[topology.Unknown]++
	} else {
		nodes[n.State]++
	}
	if n.State == topology.Down {
		above = topology.Down
	}
	for _, c := range n.Nodes {
		countStates(c, above, nodes)
	}
}
