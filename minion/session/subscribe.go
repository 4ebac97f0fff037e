package session

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/zmtp"
)

// The subscription's heartbeat: a master that vanishes silently is noticed after
// heartbeatTimeout, one whose process ends at once.
const (
	heartbeatInterval = 5 * time.Second
	heartbeatTimeout  = 15 * time.Second
)

// subscribe receives publications until ctx ends or the master has moved them to another port.
func (s *Session) subscribe(ctx context.Context, res channel.Result) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	addr := s.ch.PublishAddr(res, s.all.Options.PublishPort)
	d := channel.DialOptions(s.all.Options)
	d.Identity, d.Log = s.ch.Session(), s.log
	d.HeartbeatInterval, d.HeartbeatTimeout = heartbeatInterval, heartbeatTimeout
	d.OnConnect = func() {
		s.log.Info("subscribed", "addr", addr)
		s.setConnected(true)
	}
	d.OnDisconnect = func(err error) {
		if ctx.Err() == nil {
			s.log.Warn("subscription lost", "addr", addr, "err", err)
		}
		s.tail.Lost()
		s.setConnected(false)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		defer cancel()
		s.watchPort(ctx, addr)
	})
	sub := zmtp.NewSub(addr, d, s.ch.Topics(s.all.Options.ZmqFiltering))
	if err := sub.Run(ctx, func(frames [][]byte) { s.receive(ctx, frames) }); err != nil && ctx.Err() == nil {
		s.log.Error("subscription ended", "addr", addr, "err", err)
		_ = timing.Sleep(ctx, s.all.Options.ReconMax) // it returns early only when it cannot work
	}
	cancel()
}

// watchPort returns when the master reports another port for publications than the one in use.
// It asks only while the subscription is down.
func (s *Session) watchPort(ctx context.Context, addr string) {
	for {
		if s.up.await(ctx, false) != nil {
			return
		}
		if timing.Sleep(ctx, s.all.Options.ReconMax+rand.N(s.all.Options.ReconMax+1)) != nil {
			return
		}
		if s.up.is() {
			continue
		}
		res, err := s.ch.Attempt(ctx)
		if err == nil && s.ch.PublishAddr(res, s.all.Options.PublishPort) != addr {
			s.log.Info("publication port changed", "from", addr)
			return
		}
	}
}
