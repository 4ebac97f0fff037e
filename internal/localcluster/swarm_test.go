package localcluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// swarm is many minions in one process: each signs in, subscribes and announces itself like a
// real one, and answers every job with its id after a random delay.
type swarm struct {
	ids    []string
	delay  time.Duration                                    // answers arrive within this time
	result func(c *channel.Channel, p wire.Publication) any // nil means the id
	held   chan struct{}                                    // the last tenth of the minions answers when it is closed; nil: like the others
	up     atomic.Int64
	given  atomic.Int64 // returns acknowledged
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// newSwarm makes n minions below a node that has not started yet. They share a key pair,
// because generating one takes longer than everything else.
func newSwarm(t *testing.T, g *localcluster.Cluster, node string, n int, delay time.Duration) *swarm {
	m, ok := g.Find(node)
	if !ok {
		t.Fatalf("no node %s", node)
	}
	pki := filepath.Join(g.Dir, "swarm")
	if err := os.MkdirAll(pki, 0o700); err != nil {
		t.Fatal(err)
	}
	pair, err := crypt.EnsureKeyPair(pki, "minion", 2048)
	if err != nil {
		t.Fatal(err)
	}
	accepted := filepath.Join(m.Dir, "etc/salt/pki/master/minions")
	if err := os.MkdirAll(accepted, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &swarm{delay: delay}
	for i := range n {
		id := fmt.Sprintf("s%04d", i)
		s.ids = append(s.ids, id)
		if err := os.WriteFile(filepath.Join(accepted, id), []byte(pair.PublicPEM), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// start connects the swarm to the node's return port.
func (s *swarm) start(t *testing.T, g *localcluster.Cluster, node string) {
	m, _ := g.Find(node)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	t.Cleanup(s.stop)
	for _, id := range s.ids {
		c, err := channel.New(channel.Config{
			ID: id, PkiDir: filepath.Join(g.Dir, "swarm"), PinName: id + ".pub", Host: "127.0.0.1", Port: m.RetPort,
			AuthTimeout: 20 * time.Second, RequestTimeout: 10 * time.Second, RequestTries: 1, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.wg.Go(func() {
			defer c.Close()
			if err := s.live(ctx, c); err != nil && ctx.Err() == nil {
				t.Errorf("minion %s: %v", id, err)
			}
		})
	}
}

func (s *swarm) stop() {
	s.cancel()
	s.wg.Wait()
}

// live is the life of one minion.
func (s *swarm) live(ctx context.Context, c *channel.Channel) error {
	var res channel.Result
	err := until(ctx, func() (err error) { res, err = c.SignIn(ctx); return err })
	if err != nil {
		return err
	}
	ready := make(chan struct{}, 1)
	sub := zmtp.NewSub(c.PublishAddr(res, 0), zmtp.DialConfig{
		Identity: c.Session(), BackoffMin: 100 * time.Millisecond, BackoffMax: time.Second, Log: slog.New(slog.DiscardHandler),
		OnConnect: func() {
			select {
			case ready <- struct{}{}:
			default:
			}
		},
	}, c.Topics(false))
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-ready:
				_ = until(ctx, func() error { _, _, err := c.Announce(ctx, channel.Presence{Version: "swarm"}); return err })
				s.up.Add(1)
			}
		}
	})
	err = sub.Run(ctx, func(frames [][]byte) {
		wg.Go(func() { s.answer(ctx, c, frames[len(frames)-1]) })
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (s *swarm) answer(ctx context.Context, c *channel.Channel, body []byte) {
	p, err := c.OpenPublication(ctx, body)
	if err != nil {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Duration(rand.Int64N(int64(s.delay)) + 1)):
	}
	if s.held != nil && slices.Contains(s.ids[len(s.ids)*9/10:], c.ID()) {
		select {
		case <-ctx.Done():
			return
		case <-s.held:
		}
	}
	var value any = c.ID()
	if s.result != nil {
		value = s.result(c, p)
	}
	err = until(ctx, func() error {
		return c.Return(ctx, wire.NewMap("cmd", "_return", "id", c.ID(), "success", true, "return", value, "retcode", 0,
			"jid", p.JID, "fun", "test.ping", "fun_args", []any{}))
	})
	if err == nil {
		s.given.Add(1)
	}
}

// until retries until it succeeds or ctx ends, like a minion's outbox on disk.
func until(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(50+rand.IntN(200)) * time.Millisecond):
		}
	}
}
