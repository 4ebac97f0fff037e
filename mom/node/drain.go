package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/mom/command"
)

func drainCommand() *cobra.Command {
	var f flags
	var undo bool
	c := &cobra.Command{
		Use:   "drain",
		Short: "Move the minions of this node to its siblings, until it is safe to stop it",
		Long: "Marks the node of this machine as draining, asks its minions at a given rate to move to\n" +
			"a sibling, and waits until they have left and no return is pending for its parents. The\n" +
			"node serves the remaining minions meanwhile. Minions that cannot move (Python's, or those\n" +
			"with a list of masters of their own) are named. Nodes below move to a sibling when this one\n" +
			"stops, if it accepts nodes below it (order_masters: True, or mom node admit there). The mark\n" +
			"survives a restart. --undo removes it, and the minions return after their rehome_failback.\n" +
			"Exit codes: 0 the node is empty, 1 it is not, 64 wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, func(ctx context.Context, n *work) error {
				if undo {
					if _, err := n.cl.Runner(ctx, "node.undrain"); err != nil {
						return fmt.Errorf("remove the mark: %w", err)
					}
					n.say("The node accepts minions again; those that left will return.\n")
					return nil
				}
				return n.drain(ctx)
			})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&undo, "undo", false, "remove the mark")
	return c
}

// drain moves all minions and waits until none is left and no return is pending.
func (n *work) drain(ctx context.Context) error {
	h, err := n.status(ctx)
	if err != nil {
		return err
	}
	if len(h.connected) > 0 && len(h.siblings) == 0 {
		return command.Exit(command.ExitFailure, errors.New("this node has no sibling for its minions: its parent has to be connected, with another node below it and the option rehome"))
	}
	if _, err := n.cl.Runner(ctx, "node.drain"); err != nil {
		return fmt.Errorf("mark the node as draining: %w", err)
	}
	n.say("Draining: %d minions are here; at most %.4g per second are asked to move.\n", len(h.connected), n.rate)
	last := len(h.connected)
	for {
		if h, err = n.status(ctx); err != nil {
			return err
		}
		left := n.movable(h.connected)
		if len(left) == 0 && h.pending == 0 {
			return n.drained(h)
		}
		if len(h.connected) <= last*9/10 || len(h.connected) == 0 && last > 0 {
			last = len(h.connected)
			n.say("%d minions are left, %d returns are pending for the parents.\n", last, h.pending)
		}
		if err := n.move(ctx, left, "", false); err != nil {
			return err
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("the node is not empty: %d minions are here, %d returns are pending for the parents: %w", len(h.connected), h.pending, err))
		}
	}
}

func (n *work) drained(h housing) error {
	for _, group := range []struct {
		what string
		ids  []string
	}{{"These minions did not move and lose their master", h.connected}, {"These minions may be here and cannot move", h.untracked}, {"These nodes move to a sibling when this one stops, if it accepts nodes below it (order_masters, or mom node admit there)", h.nodes}} {
		if len(group.ids) > 0 {
			n.say("%s: %s\n", group.what, join(group.ids, 20))
		}
	}
	if len(h.connected) > 0 {
		return command.Exit(command.ExitFailure, errors.New("the node is not empty"))
	}
	n.say("The node is empty and nothing is pending: it is safe to stop it.\n")
	return nil
}
