package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// A daemon answers the question how it is on its own event bus: the events pulseAsk
// and pulseTell with the same token. Both carry a retcode, for events with one stay
// at the node that fires them. The answer holds the links to the masters above
// (not that of a master alone), and which checks of /readyz fail, with the reasons.
const (
	pulseAsk  = "mom/pulse/ask"
	pulseTell = "mom/pulse/tell"
)

// pulseChecks bounds the checks of one question: less than `mom health` waits.
const pulseChecks = 2 * time.Second

// heart is what a daemon tells of itself.
type heart struct {
	links  func() map[string]bool // nil: nothing is above
	checks []metrics.Checker      // nil ones are left out
	// say fires an event where the question came from; nil: on the bus that is read.
	say func(ctx context.Context, tag string, d *wire.Map) error
}

// answerPulse serves the question until ctx ends.
func answerPulse(ctx context.Context, b *bus.Bus, h heart) {
	for ctx.Err() == nil {
		sub := b.Subscribe(bus.SubscribeOptions{Prefixes: []string{pulseAsk}, Size: 16, DropWhenFull: true})
		hear(ctx, b, sub, h)
		sub.Close()
		_ = sleep.For(ctx, 100*time.Millisecond) // the bus is closing, or cut us off
	}
}

// beating runs a daemon and answers beside it as long as it runs.
func beating(ctx context.Context, b *bus.Bus, h heart, run func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { answerPulse(ctx, b, h) })
	defer wg.Wait()
	defer cancel()
	return run(ctx)
}

// tell makes the answer.
func (h heart) tell(ctx context.Context, token string) *wire.Map {
	ctx, cancel := context.WithTimeout(ctx, pulseChecks)
	defer cancel()
	failing := wire.NewMap()
	for _, check := range h.checks {
		if check == nil {
			continue
		}
		for _, c := range check(ctx) {
			if !c.OK {
				failing.Set(c.Name, c.Reason)
			}
		}
	}
	answer := wire.NewMap("token", token, "failing", failing, "retcode", 0)
	if h.links != nil {
		now, up := h.links(), wire.NewMap()
		for _, name := range slices.Sorted(maps.Keys(now)) {
			up.Set(name, now[name])
		}
		answer.Set("links", up)
	}
	return answer
}

func hear(ctx context.Context, b *bus.Bus, sub *bus.Subscription, h heart) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				continue
			}
			answer := h.tell(ctx, d.String("token"))
			if h.say == nil {
				_ = b.Fire(pulseTell, answer) // a bus that is closed has no readers
				continue
			}
			if err := h.say(ctx, pulseTell, answer); err != nil && ctx.Err() == nil {
				slog.Warn("The question how this daemon is could not be answered", "err", err)
			}
		}
	}
}

var (
	errNoLink   = errors.New("no master above is connected")
	errNoSyndic = errors.New("this daemon is a master alone")
	errNoAnswer = errors.New("the daemon does not answer on its event bus")
	errDegraded = errors.New("it is degraded")
)

// pulse is what a daemon has answered.
type pulse struct {
	tied     bool // it has masters above
	up, down []string
	failing  []string // "check: reason"
}

// askPulse asks a daemon how it is.
func askPulse(ctx context.Context, cfg bus.ClientConfig, token string) (p pulse, err error) {
	b, err := bus.Dial(ctx, cfg)
	if err != nil {
		return p, fmt.Errorf("event bus in %s: %w", cfg.SockDir, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := b.Fire(ctx, pulseAsk, wire.NewMap("token", token, "retcode", 0)); err != nil {
		return p, fmt.Errorf("event bus in %s: %w", cfg.SockDir, err)
	}
	for {
		e, err := b.Next(ctx)
		if err != nil {
			return p, fmt.Errorf("%w in %s: %w", errNoAnswer, cfg.SockDir, err)
		}
		if e.Tag != pulseTell {
			continue
		}
		if d, err := wire.DecodeMap(e.Data); err == nil && d.String("token") == token {
			return readPulse(d), nil
		}
	}
}

func readPulse(d *wire.Map) (p pulse) {
	_, p.tied = d.Get("links")
	d.Map("links").Range(func(k, v any) bool {
		name, _ := k.(string)
		if v == true {
			p.up = append(p.up, name)
		} else {
			p.down = append(p.down, name)
		}
		return true
	})
	slices.Sort(p.up)
	d.Map("failing").Range(func(k, v any) bool {
		if k != "parent" && k != "master" { // those are the links
			p.failing = append(p.failing, fmt.Sprintf("%v: %v", k, v))
		}
		return true
	})
	return p
}

// linked tells whether one of the masters above is there; those that are not are
// named.
func (p pulse) linked() error {
	switch {
	case !p.tied:
		return errNoSyndic
	case len(p.up) == 0:
		return fmt.Errorf("%w (%s)", errNoLink, cmp.Or(strings.Join(p.down, ", "), "none is tried"))
	}
	return nil
}

// ready tells which checks fail.
func (p pulse) ready() error {
	if len(p.failing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errDegraded, strings.Join(p.failing, "; "))
}
