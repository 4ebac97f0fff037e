package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/command"
)

// nodeFlags are what the commands of mom node have in common.
type nodeFlags struct {
	dir     string
	rate    float64
	timeout time.Duration
}

func (f *nodeFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.dir, "config-dir", "c", "/etc/salt", "folder with the file master")
	c.Flags().Float64Var(&f.rate, "rate", 50, "minions per second that are asked to move")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Minute, "when to give up")
}

func (f *nodeFlags) run(cmd *cobra.Command, do func(ctx context.Context, n *nodeWork) error) (err error) {
	if f.rate <= 0 || f.rate > 100000 {
		return command.Exit(command.ExitUsage, fmt.Errorf("--rate %v: it must be above 0 and at most 100000 a second", f.rate))
	}
	conf, _, err := config.LoadMaster(f.dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	cl := client.New(client.FromMaster(conf))
	defer func() { err = errors.Join(err, cl.Close()) }()
	return do(ctx, &nodeWork{cl: cl, rate: f.rate, out: cmd.OutOrStdout(), asked: map[string]int{}, goal: map[string]string{}})
}

func nodeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "node",
		Short: "Empty a node before it is stopped, or even out the minions of nodes",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Exit(command.ExitUsage, fmt.Errorf("mom node needs one of its commands: drain, rebalance"))
		},
	}
	c.AddCommand(drainCommand(), rebalanceCommand())
	return c
}

func drainCommand() *cobra.Command {
	var f nodeFlags
	var undo bool
	c := &cobra.Command{
		Use:   "drain",
		Short: "Move the minions of this node to its siblings, until it is safe to stop it",
		Long: "Marks the node of this machine as draining, asks its minions at a stated rate to move to\n" +
			"a sibling, and waits until they have gone and nothing is owed upward. The node serves\n" +
			"whoever is still there meanwhile. Minions that cannot move (Python's, or such with a list\n" +
			"of masters of their own) are named; nodes below go over a sibling by themselves when this\n" +
			"one stops. The mark survives a restart: --undo takes it back, and the minions come home\n" +
			"by themselves after their rehome_failback.\n" +
			"Exit codes: 0 the node is empty, 1 it is not, 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, func(ctx context.Context, n *nodeWork) error {
				if undo {
					if _, err := n.cl.Runner(ctx, "node.undrain", nil, nil); err != nil {
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

// nodeWork moves minions at one master.
type nodeWork struct {
	cl    *client.Client
	rate  float64
	out   io.Writer
	asked map[string]int    // how often
	goal  map[string]string // where to, if they were told
	turn  int
}

func (n *nodeWork) say(format string, args ...any) {
	_, _ = fmt.Fprintf(n.out, format, args...) // there is nowhere else to tell
}

// housing is what node.status tells.
type housing struct {
	connected, untracked, siblings []string
	owed                           int64
	nodes, fit                     []string // connected nodes below; those of them that do not drain
}

func (n *nodeWork) status(ctx context.Context) (h housing, err error) {
	v, err := n.cl.Runner(ctx, "node.status", nil, nil)
	if err != nil {
		return h, fmt.Errorf("ask the node how it stands: %w", err)
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return h, fmt.Errorf("ask the node how it stands: its answer is %v", v)
	}
	h.connected, h.untracked, h.siblings = textList(m.List("connected")), textList(m.List("untracked")), textList(m.List("siblings"))
	h.owed = m.Int("owed")
	for _, v := range m.List("nodes") {
		if c, ok := v.(*wire.Map); ok && c.Bool("up") {
			h.nodes = append(h.nodes, c.String("id"))
			if !c.Bool("draining") {
				h.fit = append(h.fit, c.String("id"))
			}
		}
	}
	return h, nil
}

func textList(vs []any) []string {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

const (
	// maxAsks is how often a minion is asked to move before it counts as unable.
	maxAsks = 3
	// askPause is how many turns pass before a minion is asked again.
	askPause = 20
	// turns of a second are cut into this many.
	turnTime = 200 * time.Millisecond
)

// drain moves all minions and waits until nothing is left.
func (n *nodeWork) drain(ctx context.Context) error {
	h, err := n.status(ctx)
	if err != nil {
		return err
	}
	if len(h.connected) > 0 && len(h.siblings) == 0 {
		return command.Exit(command.ExitFailure, errors.New("this node knows no sibling that its minions could move to: the master above has to be there, with another node below it and the option rehome"))
	}
	if _, err := n.cl.Runner(ctx, "node.drain", nil, nil); err != nil {
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
		if err := sleep.For(ctx, turnTime); err != nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("the node is not empty: %d minions are here, %d returns are owed upward: %w", len(h.connected), h.owed, err))
		}
	}
}

func (n *nodeWork) drained(h housing) error {
	for _, group := range []struct {
		what string
		ids  []string
	}{{"These minions did not move and lose their master", h.connected}, {"These minions may be here and cannot move", h.untracked}, {"These nodes go over a sibling when this one stops", h.nodes}} {
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

// join lists at most n ids.
func join(ids []string, n int) string {
	rest := len(ids) - n
	out := ""
	for i, id := range ids[:min(n, len(ids))] {
		if i > 0 {
			out += ", "
		}
		out += id
	}
	if rest > 0 {
		out += fmt.Sprintf(" and %d more", rest)
	}
	return out
}

// movable leaves out those who were asked in vain.
func (n *nodeWork) movable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), n.unable)
}

// unable tells whether a minion was asked as often as makes sense.
func (n *nodeWork) unable(id string) bool { return n.asked[id] > maxAsks*askPause }

// move asks as many as the rate allows in one turn.
func (n *nodeWork) move(ctx context.Context, ids []string, to string, settle bool) error {
	n.turn++
	per := n.rate * turnTime.Seconds()
	quota := int(float64(n.turn)*per) - int(float64(n.turn-1)*per)
	var now []string
	for _, id := range ids {
		switch k := n.asked[id]; {
		case k%askPause != 0:
			n.asked[id]++
		case len(now) < quota:
			n.asked[id]++
			n.goal[id] = to
			now = append(now, id)
		}
	}
	if len(now) == 0 {
		return nil
	}
	j := client.Job{Tgt: now, TgtType: "list", Fun: []string{"event.fire"}, Arg: []any{
		wire.NewMap("to", to, "settle", settle), "mom/home/move",
	}}
	if _, err := n.cl.Publish(ctx, j); err != nil && !errors.Is(err, client.ErrNoMatch) {
		return fmt.Errorf("ask %d minions to move: %w", len(now), err)
	}
	return nil
}
