package master

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// branch is a master with a node that connects it to another master's tree: it queries that master
// and answers it.
type branch struct {
	*rig
	at   *minion // its connection to the master above
	away atomic.Bool
	asks atomic.Int64 // requests that went up
}

var errCut = errors.New("the connection is cut")

func (b *branch) Ask(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	b.asks.Add(1)
	if b.away.Load() {
		return nil, errCut
	}
	return b.at.Request(ctx, load)
}

// branch plants a node with minions below a master.
func (r *rig) branch(id, key string, minions []string, change ...func(*config.Master)) *branch {
	r.t.Helper()
	b := &branch{rig: newRig(r.t, append(change, func(c *config.Master) { c.ID = id })...)}
	b.rig.opts.Parent = "above"
	b.rig.start()
	b.at = r.minion(id, "syndic", key).listen().announce()
	below := topology.NewTree(topology.Node{ID: id, Role: "syndic"}, nil)
	for _, m := range minions {
		below.SetMinion(topology.Minion{ID: m, State: topology.Up})
	}
	whole, at := below.Whole()
	b.at.report(&whole, "life", below.Life(), "revision", at)
	b.Above().Connect(b)
	go b.serve(id)
	return b
}

// serve answers queries of the master above; its jobs match no minion here.
func (b *branch) serve(id string) {
	for {
		select {
		case <-b.at.done:
			return
		case p := <-b.at.heard:
			q, asks, err := nodecall.FromPublication(p, id)
			if err != nil || !asks || q.ID == "" || b.away.Load() {
				continue
			}
			load := wire.NewMap("cmd", nodecall.Command, "id", id, "ask", q.ID)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			v, err := b.Answer(ctx, q.What, q.Arg)
			if err != nil {
				load.Set("error", err.Error())
			} else {
				load.Set("value", v)
			}
			_, _ = b.at.Request(ctx, load) // the end of a test cuts it off
			cancel()
		}
	}
}

// tree is a top with a minion t1, and two nodes with two minions each: a1 and a2, b1 and b2.
func tree(t *testing.T, change ...func(*config.Master)) (top *rig, a, b *branch) {
	t.Helper()
	top = newRig(t, append(change, ordersMasters)...).start()
	a = top.branch("na", "syndic", []string{"a1", "a2"}, change...)
	b = top.branch("nb", "lower_master", []string{"b1", "b2"}, change...)
	return top, a, b
}
