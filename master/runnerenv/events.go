package runnerenv

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// Fire fires an event. It refuses the tags that minions may not use: a caller of runners must not
// pass for the master.
func (e Env) Fire(tag string, data *wire.Map) error {
	//mutant:runners-forged-events
	if !ownership.MayFire("", tag) {
		return fmt.Errorf("event.send: tag %q is reserved for masters and minions; choose another, such as my/event", tag)
	}
	return e.p.Bus.Fire(tag, data)
}

// heardWaiting limits the events queued for a runner that listens.
const heardWaiting = 4096

// Listen delivers the events of this master's bus.
func (e Env) Listen(ctx context.Context, heard func(tag string, data *wire.Map) bool) error {
	sub := e.p.Bus.Subscribe(bus.SubscribeOptions{Size: heardWaiting})
	defer sub.Close()
	for {
		select {
		case ev, ok := <-sub.C():
			if !ok {
				return errors.New("events came faster than they were read; use a narrower tag")
			}
			data, err := ev.Map()
			if err != nil {
				return fmt.Errorf("event %s: %w", ev.Tag, err)
			}
			if !data.Has("_stamp") {
				data.Set("_stamp", ev.Stamp.UTC().Format("2006-01-02T15:04:05.000000"))
			}
			if !heard(ev.Tag, data) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Endless returns false: nobody could stop the call.
func (Env) Endless() bool { return false }
