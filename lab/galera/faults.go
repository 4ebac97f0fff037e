//go:build linux

package galera

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/chaos"
)

// play makes a fault, ends it and waits until the cluster is whole.
func (c *cluster) play(ctx context.Context, f fault) error {
	heal, err := c.begin(ctx, f)
	if err != nil {
		return fmt.Errorf("begin %v: %w", f, err)
	}
	_ = timing.Sleep(ctx, f.For)
	if err := heal(); err != nil {
		return fmt.Errorf("end %v: %w", f, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.Whole(ctx); err != nil {
		return fmt.Errorf("after %v: %w", f, err)
	}
	return timing.Sleep(ctx, time.Second) // in which writers write undisturbed
}

func (c *cluster) begin(ctx context.Context, f fault) (heal func() error, err error) {
	n := c.Nodes[f.Node]
	others := [][2]int{}
	for i := range size {
		if i != f.Node {
			others = append(others, [2]int{f.Node, i})
		}
	}
	cut := func(pairs ...[2]int) func() error {
		mend := c.net.Cut(pairs...)
		return func() error { mend(); return nil }
	}
	switch f.What {
	case Kill:
		return n.Rejoin, n.Kill()
	case Transfer:
		return n.Rejoin, errors.Join(n.Kill(), n.Wipe())
	case Freeze:
		return func() error { return n.Signal(syscall.SIGCONT) }, n.Signal(syscall.SIGSTOP)
	case Cut:
		return cut(append(others, [2]int{f.Node, host})...), nil
	case Hide:
		return cut([2]int{f.Node, host}), nil
	case Split:
		return cut(others...), nil
	case Disk:
		return chaos.FillDisk(n.Dir)
	case Alter:
		for try := 0; ; try++ { // an ALTER may conflict, as a write may
			_, err := n.Root.ExecContext(ctx, "ALTER TABLE "+database+".salt_returns FORCE")
			if err == nil || try == 5 {
				return func() error { return nil }, err
			}
			c.Note("%v: %v", f, err)
		}
	}
	return nil, fmt.Errorf("unknown fault %q", f.What)
}
