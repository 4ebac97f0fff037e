package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
)

// SignIn retries until it succeeds, or until retrying cannot help.
func (s *Session) SignIn(ctx context.Context) (channel.Result, error) {
	cfg := s.all.Options
	wait := cfg.AcceptanceWaitTime
	for {
		res, err := s.ch.SignIn(ctx)
		if err == nil || ctx.Err() != nil || Final(err) {
			return res, err
		}
		pause := wait + rand.N(wait/10+1)
		var dns *net.DNSError
		if errors.As(err, &dns) {
			if pause = cfg.RetryDns; pause == 0 {
				return res, err
			}
		}
		s.log.Error("cannot sign in", "retry_in", pause, "err", err)
		if timing.Sleep(ctx, pause) != nil {
			return res, err
		}
		wait = min(2*wait, max(cfg.AcceptanceWaitTime, cfg.AcceptanceWaitTimeMax))
	}
}

// Final reports whether Salt's minion gives up on this sign-in error. An operator can fix all
// others at the master while the minion retries.
func Final(err error) bool {
	return errors.Is(err, channel.ErrRejected) || errors.Is(err, channel.ErrBadFinger) ||
		errors.Is(err, channel.ErrBadAlgorithm)
}

// signInAgain renews the keys after a reconnect, because a restarted master has new ones. All
// its minions reconnect at the same time, so each waits a random part of random_reauth_delay. A
// publication or request that needs the keys earlier does not wait for that.
func (s *Session) signInAgain(ctx context.Context) {
	for {
		var before channel.Result
		select {
		case before = <-s.reauth:
		case <-ctx.Done():
			return
		}
		if timing.Sleep(ctx, rand.N(s.all.Options.RandomReauthDelay+1)) != nil {
			return
		}
		now, _ := s.ch.Current()
		if now.Seq == before.Seq {
			var err error
			if now, err = s.ch.Attempt(ctx); err != nil {
				if ctx.Err() == nil {
					s.log.Warn("cannot sign in again", "err", err)
				}
				continue
			}
		}
		if now.AES != before.AES {
			s.log.Info("master keys changed")
			if s.all.Options.MasterAliveInterval > 0 {
				s.fireStart(ctx)
			}
		}
	}
}

// AwaitLost returns when the subscription has been down for a whole interval.
func (s *Session) AwaitLost(ctx context.Context, interval time.Duration) {
	for s.up.await(ctx, false) == nil {
		short, stop := context.WithTimeout(ctx, interval)
		err := s.up.await(short, true)
		stop()
		if err != nil && ctx.Err() == nil {
			s.log.Error("master lost", "after", interval)
			return
		}
	}
}
