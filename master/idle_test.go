package master

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/topology"
)

// crowd connects n idle strangers to each port. Those that are disconnected reconnect.
func (r *rig) crowd(n int) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	r.t.Cleanup(func() { cancel(); all.Wait() })
	how := zmtp.DialConfig{SourceAddr: "127.0.0.66", BackoffMin: 100 * time.Millisecond, BackoffMax: 200 * time.Millisecond, Log: quiet}
	for range n {
		sub := zmtp.NewSub(fmt.Sprintf("127.0.0.1:%d", r.pub), how, []string{""})
		all.Go(func() { _ = sub.Run(ctx, func([][]byte) {}) })
		req := zmtp.NewReq(fmt.Sprintf("127.0.0.1:%d", r.ret), how)
		all.Go(func() {
			defer req.Close()
			for ctx.Err() == nil {
				_, _ = req.Do(ctx, []byte("no envelope")) // the connection stays open afterwards
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
}

// Idle strangers on both ports, more than there are slots, do not block minions: ours and stock
// ones connect at once, stay connected, and their jobs complete.
func TestIdleStrangersTakeNoPlace(t *testing.T) {
	const places = 16
	r := newRig(t, func(c *config.Master) { c.MaxConnections, c.Bounds.StrangerPatience = places, 100*time.Millisecond })
	r.start()
	r.crowd(2 * places)
	full := func() bool {
		return r.ports.Pub.Stats().Peers >= places-1 && r.ports.Router.Stats().Peers >= places-1 && r.ports.Pub.Stats().CutIdle > 0 && r.ports.Router.Stats().CutIdle > 0
	}
	eventually(t, "both ports full", full)
	events := r.events()
	ours := r.minion("m1", "minion", "minion").listen().announce()
	stock := r.stock("s1", "minion")
	eventually(t, "both known", func() bool { return r.state("m1") == topology.Up && r.state("s1") == topology.Up })
	conns := fmt.Sprint(r.peers.MinionConns("m1"), r.peers.MinionConns("s1"))
	cut := r.ports.Pub.Stats().CutIdle
	eventually(t, "the crowd has come and gone again", func() bool { return r.ports.Pub.Stats().CutIdle > cut+4*places })
	for range 3 {
		var reply []byte
		eventually(t, "a place among the crowd for a command", func() (ok bool) { // a command is a stranger too until its first message
			var err error
			reply, err = r.req.Do(t.Context(), r.clear(testJob("*", "glob")))
			return err == nil
		})
		said, err := wire.DecodeMap(reply)
		if err != nil {
			t.Fatal(err)
		}
		jid := said.Map("load").String("jid")
		ours.must(returnOf("m1", ours.hear().JID, true))
		if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 2 {
			t.Errorf("complete %v", plain(t, d))
		}
	}
	if now := fmt.Sprint(r.peers.MinionConns("m1"), r.peers.MinionConns("s1")); now != conns {
		t.Errorf("they were on connections %s and are on %s", conns, now)
	}
	stock.kill()
}
