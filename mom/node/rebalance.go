package node

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/topology"
)

func rebalanceCommand() *cobra.Command {
	var f flags
	slack := 5
	c := &cobra.Command{
		Use:   "rebalance",
		Short: "Even out the minions of the nodes right below this master",
		Long: "Asks minions of the nodes that have most to make a node with fewer their home, at a\n" +
			"stated rate, until no node right below this master has more than --slack percent above\n" +
			"the average. A minion that was moved so stays there. Nodes that drain or are down are\n" +
			"left out and named; if fewer than two are left, that is an error. Exit codes: 0 done,\n" +
			"1 it did not succeed, 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slack < 0 || slack > 100 {
				return command.Exit(command.ExitUsage, fmt.Errorf("--slack %d: it is a percentage", slack))
			}
			return f.run(cmd, func(ctx context.Context, n *work) error { return n.rebalance(ctx, slack) })
		},
	}
	f.register(c)
	c.Flags().IntVar(&slack, "slack", slack, "percent above the average that are left as they are")
	return c
}

// rebalance moves until the nodes are even.
func (n *work) rebalance(ctx context.Context, slack int) error {
	first := true
	if err := n.awaitFit(ctx, n.status); err != nil {
		return err
	}
	for {
		h, err := n.status(ctx)
		if err != nil {
			return err
		}
		tree, err := n.cl.Tree(ctx)
		if err != nil {
			return fmt.Errorf("ask for the tree: %w", err)
		}
		moves, counts := planMoves(tree, h.fit, slack, n.goal, n.unable)
		if first {
			n.say("Minions per node: %s\n", counts)
			first = false
		}
		left := 0
		for to, ids := range moves {
			ids = n.movable(ids)
			left += len(ids)
			if err := n.move(ctx, ids, to, true); err != nil {
				return err
			}
		}
		if away := n.movable(between(tree, n.goal)); left == 0 && len(away) > 0 {
			for _, id := range away {
				n.asked[id]++ // it may have died on the way
			}
			left = len(away)
		}
		if left == 0 {
			n.say("Minions per node: %s\n", counts)
			if len(moves) > 0 {
				return command.Exit(command.ExitFailure, fmt.Errorf("the nodes are not even, these minions did not move: %s; their logs say why", join(n.stuck(), 20)))
			}
			return nil
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("the nodes are not even: %s: %w", counts, err))
		}
	}
}

// planMoves says which minions should move to which node, so that no node has more
// than slack percent above the average. It moves no more than needed. A minion on
// its way is up at two nodes for a moment: it counts at its goal. Those that were
// asked in vain, as unable tells, are chosen when nobody else is left.
// newsTime is how long it may take until a master knows that a node below has begun to
// drain, or does no longer: `drain --undo` ends before that.
const newsTime = 5 * time.Second

// awaitFit waits until nodes that drain have had the time to say that they do not any more, and
// tells why nothing can be evened out, if so.
func (n *work) awaitFit(ctx context.Context, status func(context.Context) (housing, error)) error {
	for begun := time.Now(); ; {
		h, err := status(ctx)
		if err != nil {
			return err
		}
		settled := len(h.draining) == 0 && len(h.fit) > 1
		//mutant:rebalance-after-draining
		if waited := time.Since(begun); settled || waited >= newsTime {
			return n.fitting(h)
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return n.fitting(h)
		}
	}
}

// fitting tells which nodes are left out, and fails if fewer than two can take minions.
func (n *work) fitting(h housing) error {
	if len(h.draining) > 0 {
		n.say("Left out, for they drain: %s\n", join(h.draining, 20))
	}
	if len(h.fit) > 1 {
		return nil
	}
	why := fmt.Sprintf("of the connected nodes right below this master %d can take minions (%s), it takes two", len(h.fit), join(h.fit, 20))
	if len(h.draining) > 0 {
		why += "; `mom node drain --undo` at those that drain"
	}
	return command.Exit(command.ExitFailure, fmt.Errorf("nothing can be evened out: %s; a node has to be connected and admitted (`mom node admit`)", why))
}

func planMoves(tree topology.Node, nodes []string, slack int, goal map[string]string, unable func(id string) bool) (moves map[string][]string, counts string) {
	type room struct {
		id  string
		ids []string
	}
	var rooms []room
	total := 0
	arrived := arrivals(tree, goal)
	for _, c := range tree.Nodes {
		if !slices.Contains(nodes, c.ID) {
			continue
		}
		r := room{id: c.ID}
		for _, m := range c.Minions {
			if m.State == topology.Up && (!arrived[m.ID] || goal[m.ID] == c.ID) {
				r.ids = append(r.ids, m.ID)
			}
		}
		slices.SortStableFunc(r.ids, func(a, b string) int { // chosen from the end
			return cmp.Compare(bit(unable(b)), bit(unable(a)))
		})
		total += len(r.ids)
		rooms = append(rooms, r)
		if counts != "" {
			counts += ", "
		}
		counts += fmt.Sprintf("%s %d", c.ID, len(r.ids))
	}
	moves = map[string][]string{}
	if len(rooms) < 2 {
		return moves, counts
	}
	upper := (total + len(rooms) - 1) / len(rooms)
	upper += upper * slack / 100
	lower := total / len(rooms)
	for i := range rooms {
		for len(rooms[i].ids) > upper {
			to := -1
			for k := range rooms {
				if len(rooms[k].ids) < max(lower, 1) && (to < 0 || len(rooms[k].ids) < len(rooms[to].ids)) {
					to = k
				}
			}
			if to < 0 {
				for k := range rooms {
					if len(rooms[k].ids) < upper && (to < 0 || len(rooms[k].ids) < len(rooms[to].ids)) {
						to = k
					}
				}
			}
			if to < 0 {
				break
			}
			last := len(rooms[i].ids) - 1
			id := rooms[i].ids[last]
			rooms[i].ids = rooms[i].ids[:last]
			rooms[to].ids = append(rooms[to].ids, id)
			moves[rooms[to].id] = append(moves[rooms[to].id], id)
		}
	}
	return moves, counts
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stuck gives those who were asked to move in vain, sorted.
func (n *work) stuck() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(n.asked)), func(id string) bool { return !n.unable(id) })
}

// between gives the minions that were asked to move and are up at no node: the one
// they have left has said so before the one they go to.
func between(tree topology.Node, goal map[string]string) (ids []string) {
	up := map[string]bool{}
	for _, c := range tree.Nodes {
		for _, m := range c.Minions {
			up[m.ID] = up[m.ID] || m.State == topology.Up
		}
	}
	for id := range goal {
		if !up[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// arrivals gives the minions that are up at the node they were asked to move to.
func arrivals(tree topology.Node, goal map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, c := range tree.Nodes {
		for _, m := range c.Minions {
			if m.State == topology.Up && goal[m.ID] == c.ID {
				out[m.ID] = true
			}
		}
	}
	return out
}
