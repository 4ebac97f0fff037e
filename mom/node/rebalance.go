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
		Short: "Balance the minions of the nodes right below this master",
		Long: "Asks minions of the fullest nodes to make an emptier node their home, at a given rate,\n" +
			"until no node right below this master has more than --slack percent above the average. A\n" +
			"minion that was moved so stays there. Nodes that drain or are down are left out and\n" +
			"named; if fewer than two are left, that is an error. Exit codes: 0 done, 1 failed,\n" +
			"64 wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slack < 0 || slack > 100 {
				return command.Exit(command.ExitUsage, fmt.Errorf("--slack is %d, must be a percentage", slack))
			}
			return f.run(cmd, func(ctx context.Context, n *work) error { return n.rebalance(ctx, slack) })
		},
	}
	f.register(c)
	c.Flags().IntVar(&slack, "slack", slack, "tolerated percent above the average")
	return c
}

// rebalance moves minions until the nodes are balanced.
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
				n.asked[id]++ // it may have died meanwhile
			}
			left = len(away)
		}
		if left == 0 {
			n.say("Minions per node: %s\n", counts)
			if len(moves) > 0 {
				return command.Exit(command.ExitFailure, fmt.Errorf("the nodes are not balanced: these minions did not move: %s; see their logs", join(n.stuck(), 20)))
			}
			return nil
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("the nodes are not balanced: %s: %w", counts, err))
		}
	}
}

// drainReportTime bounds the time until a master knows that a node below has begun or ended to
// drain: `drain --undo` returns before that.
const drainReportTime = 5 * time.Second

// awaitFit waits until nodes that drain have had the time to report the end, and returns an error if
// the minions cannot be balanced.
func (n *work) awaitFit(ctx context.Context, status func(context.Context) (housing, error)) error {
	for begun := time.Now(); ; {
		h, err := status(ctx)
		if err != nil {
			return err
		}
		settled := len(h.draining) == 0 && len(h.fit) > 1
		//mutant:rebalance-after-draining
		if waited := time.Since(begun); settled || waited >= drainReportTime {
			return n.fitting(h)
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return n.fitting(h)
		}
	}
}

// fitting reports the nodes that are left out, and fails if fewer than two can accept minions.
func (n *work) fitting(h housing) error {
	if len(h.draining) > 0 {
		n.say("Left out, draining: %s\n", join(h.draining, 20))
	}
	if len(h.fit) > 1 {
		return nil
	}
	why := fmt.Sprintf("only %d of the connected nodes right below this master can accept minions (%s), two are needed", len(h.fit), join(h.fit, 20))
	if len(h.draining) > 0 {
		why += "; use `mom node drain --undo` at those that drain"
	}
	return command.Exit(command.ExitFailure, fmt.Errorf("minions cannot be balanced: %s; a node has to be connected and admitted (`mom node admit`)", why))
}

// planMoves returns which minions should move to which node, so that no node has more than slack
// percent above the average. It moves no more than needed. A moving minion is up at two nodes for a
// moment: it counts at its goal. Minions that unable reports are chosen last.
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

// stuck returns the minions that were asked and did not move, sorted.
func (n *work) stuck() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(n.asked)), func(id string) bool { return !n.unable(id) })
}

// between returns the minions that were asked to move and are up at no node: the old one has reported
// that they left before the new one that they arrived.
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

// arrivals returns the minions that are up at the node they were asked to move to.
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
