package session

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// fireStart fires the start events.
func (s *Session) fireStart(ctx context.Context) {
	text := "Minion " + s.all.Options.ID + " started at " + s.all.Now().Format(time.ANSIC)
	tags := []string{"salt/minion/" + s.all.Options.ID + "/start"}
	if s.all.Options.EnableLegacyStartupEvents {
		tags = append([]string{"minion_start"}, tags...)
	}
	for _, tag := range tags {
		load := s.event(tag, text)
		if names := s.all.Options.StartEventGrains; len(names) > 0 {
			load.Set("grains", s.all.Grains.Some(names))
		}
		if _, err := s.ch.Request(ctx, load); err != nil && ctx.Err() == nil {
			s.log.Warn("start event not sent", "tag", tag, "err", err)
		}
	}
}

// event returns a `_minion_event` load with one event.
func (s *Session) event(tag string, data any) *wire.Map {
	return wire.NewMap("id", s.all.Options.ID, "cmd", "_minion_event", "pretag", nil, "data", data, "tag", tag)
}

// fitsEvent returns an error if the masters cannot accept the data of an event.
func (all *Sessions) fitsEvent(data any) error {
	b, err := wire.Encode(data)
	if err != nil {
		return err
	}
	return wire.FitsDepth(b, all.Jobs.Encoder.Depth)
}

// Fire sends an event to the master.
func (s *Session) Fire(ctx context.Context, tag string, data any) error {
	if err := s.all.fitsEvent(data); err != nil {
		return fmt.Errorf("fire %s: %w", tag, err)
	}
	_, err := s.ch.Request(ctx, s.event(tag, data))
	return err
}

// ping fires minion_ping every ping_interval.
func (s *Session) ping(ctx context.Context) {
	every := s.all.Options.PingInterval
	if every <= 0 {
		return
	}
	for timing.Sleep(ctx, every) == nil {
		if err := s.Fire(ctx, "minion_ping", "ping"); err != nil && ctx.Err() == nil {
			s.log.Warn("master did not answer a ping", "err", err)
		}
	}
}
