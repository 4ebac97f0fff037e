package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

const (
	// handedWaiting is how many events about batches may wait; what comes on top is dropped, and
	// found in the list of batches.
	handedWaiting = 256
	// listEvery is how often that list is read.
	listEvery = time.Minute
	// commandGone is after what time without progress the batch of a command is not listed any more.
	commandGone = 24 * time.Hour
)

// Listen subscribes to what is told of batches: commands of Salt 3008 hand them over and ask for
// their end by events.
func (s *Service) Listen() *bus.Subscription {
	return s.o.Bus.Subscribe(bus.SubscribeOptions{
		Prefix: tagPrefix, Size: handedWaiting, DropWhenFull: true, Match: func(e bus.Event) bool { _, action := readTag(e.Tag); return action != "" },
	})
}

// Run drives the batches of an earlier life and those that are handed over, until ctx ends.
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
			if e.Origin != "" { // a node below drives its own
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

// adopt drives a batch that its file describes, if it is for the master to drive.
func (s *Service) adopt(id string) error {
	st, err := s.files.read(id)
	if err != nil {
		return err
	}
	switch {
	case st == nil, st.done():
		return s.files.enlist(id, false)
	case st.Driver == driverCLI:
		if unix(s.o.Now())-st.LastProgress > commandGone.Seconds() {
			return s.files.enlist(id, false)
		}
		return nil
	case st.Driver != driverMaster, s.of(id) != nil:
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
	// Its driver may have gone on until a moment ago.
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

// handed does what an event asks for.
func (s *Service) handed(e bus.Event) error {
	id, action := readTag(e.Tag)
	d, err := e.Map()
	if err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	if state := d.Map("state"); state != nil { // a command that waits drives it, and tells all of it
		return s.follow(id, action, state)
	}
	switch action {
	case "new", "recover":
		if s.of(id) != nil || action == "new" && d.String("driver") != driverMaster {
			return nil
		}
		err := s.adopt(id)
		if err == nil && action == "new" && s.of(id) == nil && !s.over(id) {
			err = errState
		}
		if err != nil && action == "new" {
			s.refuse(id, d, err)
		}
		return err
	case "stop":
		reason := d.String("reason")
		if reason == "" {
			reason = reasonStop
		}
		return s.stop(id, reason)
	}
	return nil
}

// over tells whether there is a batch that has ended: one that was short may have.
func (s *Service) over(id string) bool {
	st, err := s.files.read(id)
	return err == nil && st != nil
}

// refuse tells that a batch that was handed over does not go on, to whoever waits for it.
func (s *Service) refuse(id string, d *wire.Map, err error) {
	out := wire.NewMap("jid", id)
	for _, field := range []string{"fun", "tgt", "tgt_type", "user"} {
		v, _ := d.Get(field)
		out.Set(field, v)
	}
	out.Set("reason", err.Error())
	s.o.Fire(tagPrefix+id+"/halted", out)
}

// follow keeps the state of a batch that a command of Salt 3008 drives, for the runners.
func (s *Service) follow(id, action string, state *wire.Map) error {
	raw, err := wire.Encode(state)
	if err != nil {
		return fmt.Errorf("read its state: %w", err)
	}
	st, err := decode(raw)
	if err != nil {
		return err
	}
	if st.JID != id || st.Driver != driverCLI || s.of(id) != nil {
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
