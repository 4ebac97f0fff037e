package node

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
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// Command is mom node.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "node",
		Short: "Admit nodes as homes for others, drain one, or balance their minions",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Exit(command.ExitUsage, fmt.Errorf("mom node needs a command: admit, drain or rebalance"))
		},
	}
	c.AddCommand(admitCommand(), drainCommand(), rebalanceCommand())
	return c
}

// flags are the common flags of the commands of mom node.
type flags struct {
	dir     string
	rate    float64
	timeout time.Duration
}

func (f *flags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().Float64Var(&f.rate, "rate", 50, "number of minions asked to move per second")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Minute, "time limit")
}

func (f *flags) run(cmd *cobra.Command, do func(ctx context.Context, n *work) error) (err error) {
	if f.rate <= 0 || f.rate > 100000 {
		return command.Exit(command.ExitUsage, fmt.Errorf("--rate is %v, must be above 0 and at most 100000", f.rate))
	}
	cl, err := client.Open(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	return do(ctx, &work{cl: cl, rate: f.rate, out: cmd.OutOrStdout(), asked: map[string]int{}, goal: map[string]string{}})
}

// work moves minions at one master.
type work struct {
	cl    *client.Client
	rate  float64
	out   io.Writer
	asked map[string]int    // number of requests to each minion
	goal  map[string]string // target of each minion, if any
	turn  int
}

func (n *work) say(format string, args ...any) {
	_, _ = fmt.Fprintf(n.out, format, args...) // nowhere else to report it
}

// housing is the answer of node.status.
type housing struct {
	connected, untracked, siblings []string
	pending                        int64
	nodes, fit, draining           []string // connected nodes below; those of them that are not draining, and that are
}

func (n *work) status(ctx context.Context) (h housing, err error) {
	v, err := n.cl.Runner(ctx, "node.status")
	if err != nil {
		return h, fmt.Errorf("ask the node for its status: %w", err)
	}
	m, err := v.Map()
	if err != nil {
		return h, fmt.Errorf("ask the node for its status: unexpected answer %v", v)
	}
	h.connected, h.untracked, h.siblings = textList(m.List("connected")), textList(m.List("untracked")), textList(m.List("siblings"))
	h.pending = m.Int("owed")
	for _, v := range m.List("nodes") {
		if c, ok := v.(*value.Map); ok && c.Bool("up") {
			h.nodes = append(h.nodes, c.String("id"))
			if c.Bool("draining") {
				h.draining = append(h.draining, c.String("id"))
			} else {
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
	// maxAsks is the number of requests after which a minion counts as unable to move.
	maxAsks = 3
	// askPause is the number of turns before a minion is asked again.
	askPause = 20
	// turns is the number of turns per second.
	turnTime = 200 * time.Millisecond
)

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

// movable leaves out minions that are unable to move.
func (n *work) movable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), n.unable)
}

// unable reports whether a minion was asked maxAsks times.
func (n *work) unable(id string) bool { return n.asked[id] > maxAsks*askPause }

// move asks as many minions as the rate allows in one turn.
func (n *work) move(ctx context.Context, ids []string, to string, settle bool) error {
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
	j := client.Job{Tgt: now, TgtType: "list", Fun: []string{"event.fire"}, Args: []any{
		value.NewMap("to", to, "settle", settle), "mom/home/move",
	}}
	if _, err := n.cl.Publish(ctx, j); err != nil && !errors.Is(err, client.ErrNoMatch) {
		return fmt.Errorf("ask %d minions to move: %w", len(now), err)
	}
	return nil
}
