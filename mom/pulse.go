package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// A daemon answers the question how its links to the masters above are on its own
// event bus: the events pulseAsk and pulseTell with the same token. Both carry a
// retcode, for events with one stay at the node that fires them.
const (
	pulseAsk  = "mom/pulse/ask"
	pulseTell = "mom/pulse/tell"
)

// answerPulse serves the question until ctx ends.
func answerPulse(ctx context.Context, b *bus.Bus, links func() map[string]bool) {
	for ctx.Err() == nil {
		sub := b.Subscribe(bus.SubscribeOptions{Prefixes: []string{pulseAsk}, Size: 16, DropWhenFull: true})
		hear(ctx, b, sub, links)
		sub.Close()
		_ = sleep.For(ctx, 100*time.Millisecond) // the bus is closing, or cut us off
	}
}

func hear(ctx context.Context, b *bus.Bus, sub *bus.Subscription, links func() map[string]bool) {
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
			now, up := links(), wire.NewMap()
			for _, name := range slices.Sorted(maps.Keys(now)) {
				up.Set(name, now[name])
			}
			_ = b.Fire(pulseTell, wire.NewMap("token", d.String("token"), "links", up, "retcode", 0)) // a bus that is closed has no readers
		}
	}
}

var (
	errNoLink   = errors.New("no master above is connected")
	errNoAnswer = errors.New("the daemon does not answer on its event bus")
)

// askPulse asks a daemon for its links. It is healthy with one that is up; those
// that are down are named all the same.
func askPulse(ctx context.Context, cfg bus.ClientConfig, token string) (up []string, err error) {
	b, err := bus.Dial(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("event bus in %s: %w", cfg.SockDir, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := b.Fire(ctx, pulseAsk, wire.NewMap("token", token, "retcode", 0)); err != nil {
		return nil, fmt.Errorf("event bus in %s: %w", cfg.SockDir, err)
	}
	for {
		e, err := b.Next(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w in %s: %w", errNoAnswer, cfg.SockDir, err)
		}
		d, derr := wire.DecodeMap(e.Data)
		if e.Tag != pulseTell || derr != nil || d.String("token") != token {
			continue
		}
		return readLinks(d.Map("links"))
	}
}

func readLinks(links *wire.Map) (up []string, err error) {
	var down []string
	links.Range(func(k, v any) bool {
		name, _ := k.(string)
		if v == true {
			up = append(up, name)
		} else {
			down = append(down, name)
		}
		return true
	})
	slices.Sort(up)
	if len(up) == 0 {
		return nil, fmt.Errorf("%w (%s)", errNoLink, cmp.Or(strings.Join(down, ", "), "none is tried"))
	}
	return up, nil
}
