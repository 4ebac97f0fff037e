package masters

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/session"
)

// failover serves one master at a time: the first that accepts this minion, until it is lost
// (master_alive_interval) or an earlier one is back (master_failback).
func (m *Masters) failover(ctx context.Context, masters []string) error {
	box, err := m.outbox("failover")
	if err != nil {
		return err
	}
	wait := m.Options.AcceptanceWaitTime
	for ctx.Err() == nil {
		name, reached, err := m.round(ctx, masters, box)
		switch {
		case ctx.Err() != nil:
			return nil
		case reached:
			wait = m.Options.AcceptanceWaitTime
			masters = m.after(masters, name)
			continue
		case err != nil && session.Final(err):
			return err
		}
		m.Log.Error("no master reachable", "masters", masters, "retry_in", wait, "err", err)
		if timing.Sleep(ctx, wait+rand.N(wait/10+1)) != nil {
			return nil
		}
		wait = min(2*wait, max(m.Options.AcceptanceWaitTime, m.Options.AcceptanceWaitTimeMax))
	}
	return nil
}

// after moves the lost master to the end of the list. An empty name restores the configured
// order, because the first master is back.
func (m *Masters) after(masters []string, lost string) []string {
	if lost == "" {
		return m.List()
	}
	out := make([]string, 0, len(masters))
	for _, name := range masters {
		if name != lost {
			out = append(out, name)
		}
	}
	return append(out, lost)
}

// round tries the masters in order and serves the first that accepts this minion until it is
// given up. name is the master that was lost, "" after a failback. If none was reached, err is
// fatal only if all rejected the minion for good.
func (m *Masters) round(ctx context.Context, masters []string, box *delivery.Outbox) (name string, reached bool, err error) {
	var last error
	fatal := 0
	for _, name := range masters {
		s, err := m.Sessions.Open(name, box, session.Options{AuthTries: 1})
		if err != nil {
			return "", false, err
		}
		res, err := s.Channel().Attempt(ctx)
		if err != nil {
			_ = s.Channel().Close()
			if ctx.Err() != nil {
				return "", false, nil
			}
			m.Log.Warn("master unavailable, trying the next", "master", name, "err", err)
			last = err
			if session.Final(err) {
				fatal++
			}
			continue
		}
		m.Jobs.ReportInterrupted(s, nil)
		back := m.serveUntilLost(ctx, s, res)
		_ = s.Channel().Close()
		if back {
			return "", true, nil
		}
		return name, true, nil
	}
	if fatal < len(masters) && last != nil {
		last = errors.New(last.Error()) // some may accept later
	}
	return "", false, last
}

// serveUntilLost serves one master of several. back reports that the first master is available
// again.
func (m *Masters) serveUntilLost(ctx context.Context, s *session.Session, res channel.Result) (back bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	if m.Options.MasterAliveInterval > 0 && len(m.Options.Master) > 1 {
		wg.Go(func() {
			defer cancel()
			s.AwaitLost(ctx, m.Options.MasterAliveInterval)
		})
		if first := m.Options.Master[0]; m.Options.MasterFailback && s.Name() != first {
			wg.Go(func() {
				if m.awaitFirst(ctx, first) {
					back = true
					cancel()
				}
			})
		}
	}
	s.Serve(ctx, res)
	cancel()
	wg.Wait()
	return back
}

// awaitFirst returns true once the first master accepts a sign-in again.
func (m *Masters) awaitFirst(ctx context.Context, first string) bool {
	every := m.Options.MasterFailbackInterval
	if every == 0 {
		every = m.Options.MasterAliveInterval
	}
	for timing.Sleep(ctx, every) == nil {
		s, err := m.Sessions.Open(first, nil, session.Options{AuthTries: 1})
		if err != nil {
			return false
		}
		_, err = s.Channel().Attempt(ctx)
		_ = s.Channel().Close()
		if err == nil {
			m.Log.Info("first master is back", "master", first)
			return true
		}
	}
	return false
}
