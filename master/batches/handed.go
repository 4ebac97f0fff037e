package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

const (
	// handedWaiting is the maximum number of queued events about batches. Dropped ones are found
	// in the list of batches.
	handedWaiting = 256
	// listEvery is the interval for reading that list.
	listEvery = time.Minute
	// commandGone is the time without progress after which a command's batch is no longer listed.
	commandGone = 24 * time.Hour
)

// Listen subscribes to events about batches: commands of Salt 3008 hand over and stop batches by
// events.
func (s *Service) Listen() *bus.Subscription {
	return s.o.Bus.Subscribe(bus.SubscribeOptions{
		Prefix: batchstate.TagPrefix, Size: handedWaiting, DropWhenFull: true, Match: func(e bus.Event) bool { _, action := batchstate.ReadTag(e.Tag); return action != "" },
	})
}

// Run drives the batches of a previous run and those handed over, until ctx ends.
func (s *Service) Run(ctx context.Context, sub *bus.Subscription) {
	defer sub.Close()
	s.adoptListed()
	tick := time.NewTicker(listEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.adoptListed()
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			if e.Origin != "" { // nodes below drive their own
				continue
			}
			if err := s.handed(e); err != nil {
				s.o.Log.Error("event about a batch failed", "tag", e.Tag, "err", err)
			}
		}
	}
}

func (s *Service) adoptListed() {
	ids, err := s.files.active()
	if err != nil {
		s.o.Log.Error("list of batches not read", "err", err)
	}
	for _, id := range ids {
		if s.of(id) != nil {
			continue
		}
		if err := s.adopt(id); err != nil {
			s.o.Log.Error("batch not driven", "jid", id, "err", err)
		}
	}
}

// adopt drives the batch in a state file, if the master should.
func (s *Service) adopt(id string) error {
	st, err := s.files.read(id)
	if err != nil {
		return err
	}
	switch {
	case st == nil, st.Over():
		return s.files.enlist(id, false)
	case st.Driver == batchstate.DriverCLI:
		if batchstate.Unix(s.o.Now())-st.LastProgress > commandGone.Seconds() {
			return s.files.enlist(id, false)
		}
		return nil
	case st.Driver != batchstate.DriverMaster, s.of(id) != nil:
		return nil
	}
	if err := s.place(); err != nil {
		return err
	}
	l, err := s.claim(id)
	if errors.Is(err, errElsewhere) {
		s.free()
		s.o.Log.Debug("batch of another master", "jid", id, "err", err)
		return nil
	}
	if err = errors.Join(err, s.files.enlist(id, true)); err != nil {
		s.free()
		return err
	}
	// Its driver may have been running until a moment ago.
	if st, err = s.files.read(id); err != nil || st == nil {
		s.free()
		return err
	}
	about := []any{"jid", id, "user", st.User, "pending", len(st.Pending), "active", len(st.Active)}
	if !s.drive(st, l, false) {
		s.free()
		return nil
	}
	s.o.Log.Info("batch adopted", about...)
	return nil
}

// handed handles an event about a batch.
func (s *Service) handed(e bus.Event) error {
	id, action := batchstate.ReadTag(e.Tag)
	d, err := e.Map()
	if err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	if state := d.Map("state"); state != nil { // a waiting command drives it and fires its events
		return s.follow(id, action, state)
	}
	switch action {
	case "new", "recover":
		if s.of(id) != nil || action == "new" && d.String("driver") != batchstate.DriverMaster {
			return nil
		}
		err := s.adopt(id)
		if err == nil && action == "new" && s.of(id) == nil && !s.over(id) {
			err = batchstate.ErrState
		}
		if err != nil && action == "new" {
			s.refuse(id, d, err)
		}
		return err
	case "stop":
		reason := d.String("reason")
		if reason == "" {
			reason = batchstate.ReasonStop
		}
		return s.stop(id, reason)
	}
	return nil
}

// over reports whether the batch has ended: a short one may have.
func (s *Service) over(id string) bool {
	st, err := s.files.read(id)
	return err == nil && st != nil
}

// refuse fires the end of a batch that was handed over and cannot run.
func (s *Service) refuse(id string, d *wire.Map, err error) {
	out := wire.NewMap("jid", id)
	for _, field := range []string{"fun", "tgt", "tgt_type", "user"} {
		v, _ := d.Get(field)
		out.Set(field, v)
	}
	out.Set("reason", err.Error())
	s.o.Fire(batchstate.TagPrefix+id+"/halted", out)
}

// follow keeps the state of a batch that a Salt 3008 command drives, for runners.
func (s *Service) follow(id, action string, state *wire.Map) error {
	raw, err := wire.Encode(state)
	if err != nil {
		return fmt.Errorf("read its state: %w", err)
	}
	st, err := batchstate.Decode(raw)
	if err != nil {
		return err
	}
	if st.JID != id || st.Driver != batchstate.DriverCLI || s.of(id) != nil {
		return nil
	}
	goesOn := (action == "new" || action == "progress") && !st.Halted
	if !goesOn && !s.o.Keep {
		return errors.Join(s.files.remove(id), s.files.enlist(id, false))
	}
	if err := s.files.write(st); err != nil {
		return err
	}
	return s.files.enlist(id, goesOn)
}
