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
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// Command is mom node.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "node",
		Short: "Admit nodes as homes for others, empty one, or even out their minions",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Exit(command.ExitUsage, fmt.Errorf("mom node needs one of its commands: admit, drain, rebalance"))
		},
	}
	c.AddCommand(admitCommand(), drainCommand(), rebalanceCommand())
	return c
}

// flags are what the commands of mom node have in common.
type flags struct {
	dir     string
	rate    float64
	timeout time.Duration
}

func (f *flags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.dir, "config-dir", "c", "/etc/salt", "folder with the file master")
	c.Flags().Float64Var(&f.rate, "rate", 50, "minions per second that are asked to move")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Minute, "when to give up")
}

func (f *flags) run(cmd *cobra.Command, do func(ctx context.Context, n *work) error) (err error) {
	if f.rate <= 0 || f.rate > 100000 {
		return command.Exit(command.ExitUsage, fmt.Errorf("--rate %v: it must be above 0 and at most 100000 a second", f.rate))
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
	asked map[string]int    // how often
	goal  map[string]string // where to, if they were told
	turn  int
}

func (n *work) say(format string, args ...any) {
	_, _ = fmt.Fprintf(n.out, format, args...) // there is nowhere else to tell
}

// housing is what node.status tells.
type housing struct {
	connected, untracked, siblings []string
	owed                           int64
	nodes, fit, draining           []string // connected nodes below; those of them that do not drain, and that do
}

func (n *work) status(ctx context.Context) (h housing, err error) {
	v, err := n.cl.Runner(ctx, "node.status")
	if err != nil {
		return h, fmt.Errorf("ask the node how it stands: %w", err)
	}
	m, err := v.Map()
	if err != nil {
		return h, fmt.Errorf("ask the node how it stands: its answer is %v", v)
	}
	h.connected, h.untracked, h.siblings = textList(m.List("connected")), textList(m.List("untracked")), textList(m.List("siblings"))
	h.owed = m.Int("owed")
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
	// maxAsks is how often a minion is asked to move before it counts as unable.
	maxAsks = 3
	// askPause is how many turns pass before a minion is asked again.
	askPause = 20
	// turns of a second are cut into this many.
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

// movable leaves out those who were asked in vain.
func (n *work) movable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), n.unable)
}

// unable tells whether a minion was asked as often as makes sense.
func (n *work) unable(id string) bool { return n.asked[id] > maxAsks*askPause }

// move asks as many as the rate allows in one turn.
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
