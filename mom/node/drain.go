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
		Long: "Marks the node of this machine as draining, asks its minions at a stated rate to move to\n" +
			"a sibling, and waits until they have gone and nothing is owed upward. The node serves\n" +
			"whoever is still there meanwhile. Minions that cannot move (Python's, or such with a list\n" +
			"of masters of their own) are named. Nodes below move to a sibling when this one stops, if\n" +
			"it accepts nodes below it (order_masters: True, or mom node admit there). The mark survives a restart: --undo takes it back, and the minions come home\n" +
			"by themselves after their rehome_failback.\n" +
			"Exit codes: 0 the node is empty, 1 it is not, 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, func(ctx context.Context, n *work) error {
				if undo {
					if _, err := n.cl.Runner(ctx, "node.undrain"); err != nil {
						return fmt.Errorf("take the mark back: %w", err)
					}
					n.say("The node takes minions again; those that left come home by themselves.\n")
					return nil
				}
				return n.drain(ctx)
			})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&undo, "undo", false, "take the mark back")
	return c
}

// drain moves all minions and waits until nothing is left.
func (n *work) drain(ctx context.Context) error {
	h, err := n.status(ctx)
	if err != nil {
		return err
	}
	if len(h.connected) > 0 && len(h.siblings) == 0 {
		return command.Exit(command.ExitFailure, errors.New("this node knows no sibling that its minions could move to: the master above has to be there, with another node below it and the option rehome"))
	}
	if _, err := n.cl.Runner(ctx, "node.drain"); err != nil {
		return fmt.Errorf("mark the node as draining: %w", err)
	}
	n.say("Draining: %d minions are here, at most %.4g a second are asked to move.\n", len(h.connected), n.rate)
	last := len(h.connected)
	for {
		if h, err = n.status(ctx); err != nil {
			return err
		}
		left := n.movable(h.connected)
		if len(left) == 0 && h.owed == 0 {
			return n.drained(h)
		}
		if len(h.connected) <= last*9/10 || len(h.connected) == 0 && last > 0 {
			last = len(h.connected)
			n.say("%d minions are left, %d returns are owed upward.\n", last, h.owed)
		}
		if err := n.move(ctx, left, "", false); err != nil {
			return err
		}
		if err := timing.Sleep(ctx, turnTime); err != nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("the node is not empty: %d minions are here, %d returns are owed upward: %w", len(h.connected), h.owed, err))
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
	n.say("The node is empty and owes nothing: it is safe to stop it.\n")
	return nil
}
