package master

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// A full outbox refuses with "not now": neither a node below nor a minion mistakes that for a
// permanent refusal.
func TestFullOutboxSaysNotNow(t *testing.T) {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.OutboxMaxRows = 1 })
	r.opts.Parent = returners.DestAbove
	r.accept("web-01", "minion")
	r.accept("node-a", "syndic")
	r.start()
	web := r.minion("web-01", "minion", "minion").listen("broadcast")
	node := r.minion("node-a", "syndic", "syndic")
	one, two := jid.NewGenerator(r.now, 0).Next(), "20260101000000000001"
	if err := web.answer(one, true); err != nil {
		t.Fatal(err)
	}
	if err := web.answer(two, true); !errors.Is(err, channel.ErrNotNow) {
		t.Errorf("a return while the outbox is full: %v", err)
	}
	_, err := node.send(wire.NewMap("cmd", "_syndic_return", "load", []any{
		wire.NewMap("id", "node-a", "jid", two, "fun", "test.ping", "load", wire.NewMap(),
			"return", wire.NewMap("db-01", wire.NewMap("return", true, "retcode", 0, "success", true))),
	}))
	if !errors.Is(err, channel.ErrNotNow) {
		t.Errorf("a batch while the outbox is full: %v", err)
	}
}
