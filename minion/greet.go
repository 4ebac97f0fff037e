package minion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// greet tells the master who has subscribed, at every connect, and at the first
// one that the minion has started.
func (l *link) greet(ctx context.Context) {
	var before channel.Result // the keys when the subscription was lost
	for first := true; ; first = false {
		down, err := l.up.reach(ctx, true)
		if err != nil {
			return
		}
		l.m.fireLocal("__master_connected", wire.NewMap("master", l.name))
		announced := l.announce(ctx)
		if first {
			l.fireStart(ctx)
		} else {
			select {
			case l.reauth <- before:
			default:
			}
		}
		if !l.stayAnnounced(ctx, down, announced) {
			return
		}
		before, _ = l.ch.Current()
		l.m.fireLocal("__master_disconnected", wire.NewMap("master", l.name))
	}
}

// saidPause is when a master that did not take an announcement is told again while returns
// wait for that; the pause grows to acceptance_wait_time.
const saidPause = 500 * time.Millisecond

// haveSaid notes that the master has taken an announcement; greet alone calls it.
func (l *link) haveSaid() {
	select {
	case <-l.said:
	default:
		close(l.said)
	}
}

// awaitSaid returns when the returns may be delivered: to a master that has to answer for
// their jobs, after it has taken an announcement that tells which these are; or when it
// took none for as long as that may take, for a return is worth more than its job.
func (l *link) awaitSaid(ctx context.Context) {
	if l.AnnounceFirst == 0 {
		return
	}
	select {
	case <-l.said:
	case <-time.After(l.AnnounceFirst):
	case <-ctx.Done():
	}
}

// stayAnnounced waits until the subscription is down, true, or ctx ends. Until
// then it announces again what could not be announced, for one because the key
// is not accepted yet, and after each sign-in, since a master that forgot our
// keys has forgotten who subscribed, too.
func (l *link) stayAnnounced(ctx context.Context, down <-chan struct{}, announced uint64) bool {
	pause := l.m.cfg.AcceptanceWaitTime
	if l.AnnounceFirst > 0 {
		pause = min(pause, saidPause)
	}
	for {
		var again <-chan time.Time
		if announced == 0 && !l.silent {
			again = time.After(pause)
			pause = min(2*pause, l.m.cfg.AcceptanceWaitTime)
		}
		select {
		case <-ctx.Done():
			return false
		case <-down:
			return true
		case <-again:
			announced = l.announce(ctx)
		case <-l.renew:
			if now, _ := l.ch.Current(); now.Seq != announced {
				announced = l.announce(ctx)
			}
		}
	}
}

// announce ties the subscription to this id, for masters that know how. It
// returns the number of the sign-in under which that was done, 0 if it was not.
func (l *link) announce(ctx context.Context) uint64 {
	for n := 1; ; n++ {
		signIn, bound := l.announceOnce(ctx)
		if bound && (signIn != 0 || l.silent) {
			l.haveSaid()
		}
		// A master that has not seen our subscription yet may publish
		// something before it does: it has to hear from us once more.
		if bound || n >= maxUnbound || !l.up.is() || sleep.For(ctx, unboundPause) != nil {
			if signIn == 0 {
				l.forgetRenewed()
			}
			return signIn
		}
	}
}

// forgetRenewed drops the word of a sign-in that a refused announcement made itself:
// that one is told again after its pause, not at once and for ever.
func (l *link) forgetRenewed() {
	select {
	case <-l.renew:
	default:
	}
}

// announceOnce tells as well whether the master sees the subscription.
func (l *link) announceOnce(ctx context.Context) (signIn uint64, bound bool) {
	if l.silent {
		return 0, true
	}
	reply, known, err := l.ch.Announce(ctx, channel.Presence{Version: l.m.version, Running: l.underWay(), Heard: &l.tail, More: l.Announce})
	switch {
	case err != nil:
		if ctx.Err() == nil {
			l.log.Warn("presence not announced", "error", err)
		}
		return 0, true
	case !known:
		l.silent = true
		return 0, true
	case l.tail.Answer(reply):
		l.behind()
	}
	l.ours.Store(true)
	seen, told := reply.Get("session")
	now, _ := l.ch.Current()
	return now.Seq, !told || seen != false
}

// ping fires minion_ping every ping_interval.
func (l *link) ping(ctx context.Context) {
	every := l.m.cfg.PingInterval
	if every <= 0 {
		return
	}
	for sleep.For(ctx, every) == nil {
		if err := l.fire(ctx, "minion_ping", "ping"); err != nil && ctx.Err() == nil {
			l.log.Warn("the master does not answer a ping", "error", err)
		}
	}
}

// signInAgain renews the keys after a reconnect: a master that was restarted has
// new ones. Since all its minions reconnect at the same time, each waits a
// random part of random_reauth_delay. Whatever needs the keys earlier, a
// publication or a request, does not wait for that.
func (l *link) signInAgain(ctx context.Context) {
	for {
		var before channel.Result
		select {
		case before = <-l.reauth:
		case <-ctx.Done():
			return
		}
		if sleep.For(ctx, rand.N(l.m.cfg.RandomReauthDelay+1)) != nil {
			return
		}
		now, _ := l.ch.Current()
		if now.Seq == before.Seq {
			var err error
			if now, err = l.ch.Attempt(ctx); err != nil {
				if ctx.Err() == nil {
					l.log.Warn("cannot sign in again", "error", err)
				}
				continue
			}
		}
		if now.AES != before.AES {
			l.log.Info("the master has new keys")
			if l.m.cfg.MasterAliveInterval > 0 {
				l.fireStart(ctx)
			}
		}
	}
}

// fireStart sends the start events.
func (l *link) fireStart(ctx context.Context) {
	text := "Minion " + l.m.cfg.ID + " started at " + l.m.now().Format(time.ANSIC)
	tags := []string{"salt/minion/" + l.m.cfg.ID + "/start"}
	if l.m.cfg.EnableLegacyStartupEvents {
		tags = append([]string{"minion_start"}, tags...)
	}
	for _, tag := range tags {
		load := l.event(tag, text)
		if names := l.m.cfg.StartEventGrains; len(names) > 0 {
			load.Set("grains", l.m.grains.some(names))
		}
		if _, err := l.ch.Request(ctx, load); err != nil && ctx.Err() == nil {
			l.log.Warn("start event not sent", "tag", tag, "error", err)
		}
	}
}

// event is a `_minion_event` load with one event.
func (l *link) event(tag string, data any) *wire.Map {
	return wire.NewMap("id", l.m.cfg.ID, "cmd", "_minion_event", "pretag", nil, "data", data, "tag", tag)
}

// fitsEvent reports whether the masters can take the data of an event.
func (m *Minion) fitsEvent(data any) error {
	b, err := wire.Encode(data)
	if err != nil {
		return err
	}
	return wire.FitsDepth(b, m.jobs.Encoder.Depth)
}

// fire sends an event to the master.
func (l *link) fire(ctx context.Context, tag string, data any) error {
	if err := l.m.fitsEvent(data); err != nil {
		return fmt.Errorf("fire %s: %w", tag, err)
	}
	_, err := l.ch.Request(ctx, l.event(tag, data))
	return err
}
