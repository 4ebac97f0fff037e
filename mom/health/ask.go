package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

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
