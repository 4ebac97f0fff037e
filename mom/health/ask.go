package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/value"
)

var (
	errNoLink   = errors.New("no master above is connected")
	errNoSyndic = errors.New("this daemon is a master alone")
	errNoAnswer = errors.New("the daemon does not answer on its event bus")
	errDegraded = errors.New("it is degraded")
)

// answer is what a daemon has answered.
type answer struct {
	tied     bool // it has masters above
	up, down []string
	failing  []string // "check: reason"
}

// askPulse asks a daemon how it is.
func askPulse(ctx context.Context, o client.Options, token string) (p answer, err error) {
	c := client.New(o)
	defer func() { err = errors.Join(err, c.Close()) }()
	events, err := c.Subscribe(ctx, daemon.HealthReply)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	if err := c.Fire(ctx, daemon.HealthRequest, map[string]any{"token": token, "retcode": 0}); err != nil {
		return p, fmt.Errorf("event bus in %s: %w", o.Bus.Dir, err)
	}
	for e, err := range events.All(ctx) {
		if err != nil {
			return p, fmt.Errorf("%w in %s: %w", errNoAnswer, o.Bus.Dir, err)
		}
		if d, err := e.Data.Map(); err == nil && d.String("token") == token {
			return readPulse(d), nil
		}
	}
	return p, errNoAnswer
}

func readPulse(d *value.Map) (p answer) {
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
func (p answer) linked() error {
	switch {
	case !p.tied:
		return errNoSyndic
	case len(p.up) == 0:
		return fmt.Errorf("%w (%s)", errNoLink, cmp.Or(strings.Join(p.down, ", "), "none is tried"))
	}
	return nil
}

// ready tells which checks fail.
func (p answer) ready() error {
	if len(p.failing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errDegraded, strings.Join(p.failing, "; "))
}
