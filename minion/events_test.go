package minion

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// dialBus connects to a minion's event bus like a program on its host.
func dialBus(t *testing.T, cfg *config.Minion) *bus.Client {
	t.Helper()
	pub, pull, err := bus.MinionNames(cfg.ID, cfg.HashType)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := bus.Dial(ctx, bus.ClientConfig{SockDir: cfg.SockDir, PubName: pub, PullName: pull})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestBus_LocalEventsReachTheMaster(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	d := start(t, cfg)
	m.Await(t, "_minion_event", 2)
	c := dialBus(t, cfg)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	fire := func(tag string, data *wire.Map) {
		t.Helper()
		if err := c.Fire(ctx, tag, data); err != nil {
			t.Fatal(err)
		}
	}
	fire("fire_master", wire.NewMap("data", wire.NewMap("a", 1), "tag", "my/tag", "events", nil, "pretag", nil))
	if e := m.Await(t, "_minion_event", 3)[2]; e.String("tag") != "my/tag" || e.Map("data").Int("a") != 1 {
		t.Errorf("event %#v", e)
	}
	fire("fire_master", wire.NewMap("events", []any{wire.NewMap("tag", "x", "data", nil)}, "pretag", "p"))
	if e := m.Await(t, "_minion_event", 4)[3]; e.String("pretag") != "p" || len(e.List("events")) != 1 {
		t.Errorf("events %#v", e)
	}
	fire("fire_master", wire.NewMap("nothing", 1)) // refused, and logged
	fire("_salt_error", wire.NewMap("message", "boom"))
	if e := m.Await(t, "_minion_event", 5)[4]; e.String("tag") != "_salt_error" {
		t.Errorf("error event %#v", e)
	}
	complete := d.bus.Subscribe(bus.SubscribeOptions{Prefix: "/salt/minion/minion_pillar_refresh_complete"})
	defer complete.Close()
	refreshed := func() {
		t.Helper()
		select {
		case <-complete.C():
		case <-time.After(patience):
			t.Fatal("no event says that the pillar was fetched")
		}
	}
	fire("pillar_refresh", wire.NewMap("clean_cache", true))
	if p := m.Await(t, "_pillar", 2)[1]; !p.Bool("clean_cache") {
		t.Errorf("pillar request %v", p.Keys())
	}
	refreshed()
	fire("grains_refresh", wire.NewMap("force_refresh", true))
	m.Await(t, "_pillar", 3)
	refreshed()
	if _, err := call(t, cfg, CallOptions{Fun: "saltutil.refresh_pillar", Args: []any{true}}); err != nil {
		t.Fatal(err)
	}
	refreshed() // by the daemon, at the request of a call beside it
}

func TestBus_EventsOfTheMaster(t *testing.T) {
	for name, rules := range map[string]channeltest.Rules{
		"that answers": {},
		"that does not answer the report at a connect": {Answer: func(cmd string, reply []byte) []byte {
			if cmd == "_presence" || cmd == "_minion_event" {
				return nil
			}
			return reply
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := channeltest.Start(t, rules)
			cfg := testConfig(t, m)
			d := start(t, cfg)
			sub := d.bus.Subscribe(bus.SubscribeOptions{Prefix: "__master_"})
			defer sub.Close()
			next := func() string {
				select {
				case e := <-sub.C():
					return e.Tag
				case <-time.After(patience):
					return "nothing"
				}
			}
			m.AwaitSubscribers(t, 1)
			m.Await(t, "_presence", 1)
			m.Down()
			for tag := next(); tag != "__master_disconnected"; tag = next() {
				if tag != "__master_connected" {
					t.Fatalf("heard %s", tag)
				}
			}
			m.Up()
			if tag := next(); tag != "__master_connected" {
				t.Errorf("heard %s", tag)
			}
		})
	}
}

// All of several masters receive an event, also from a job of one of them, and at once while
// another is gone.
func TestEvents_OfSeveralMasters(t *testing.T) {
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, a, b)
	cfg.RequestChannelTimeout = time.Hour // waiting for the master that is gone would take forever
	d := start(t, cfg)
	for _, m := range []*channeltest.Master{a, b} {
		m.AwaitSubscribers(t, 1)
		m.Await(t, "_minion_event", 2)
	}
	b.Publish(channeltest.Job("20260101000000000001", "m1", "event.send", "my/tag"))
	b.AwaitReturn(t, "20260101000000000001")
	for _, m := range []*channeltest.Master{a, b} {
		if e := m.Await(t, "_minion_event", 3)[2]; e.String("tag") != "my/tag" {
			t.Errorf("event %v", e.String("tag"))
		}
	}
	lost := d.bus.Subscribe(bus.SubscribeOptions{Prefix: "__master_disconnected"})
	defer lost.Close()
	a.Down()
	select {
	case <-lost.C():
	case <-time.After(patience):
		t.Fatal("no event says that a master is gone")
	}
	for i, fun := range []string{"event.send", "saltutil.refresh_pillar", "event.send"} {
		jid := fmt.Sprintf("2026010100000000010%d", i)
		b.Publish(channeltest.Job(jid, "m1", fun, []any{"later/tag"}[:1-i%2]...))
		b.AwaitReturn(t, jid)
	}
	for _, e := range b.Await(t, "_minion_event", 5)[3:] {
		if e.String("tag") != "later/tag" {
			t.Errorf("event %v", e.String("tag"))
		}
	}
}
