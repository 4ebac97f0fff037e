package publications

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/retention"
)

// maxQueue is the maximum time until the deadline of a queued job.
const maxQueue = 366 * 24 * time.Hour

// QueueField holds the deadline of a queued job in a publish load, its kwargs or a publication, in
// seconds since 1970.
const QueueField = "queue_until"

// QueueUntil returns the deadline of a job, or zero if it is not queued.
func (s *Service) QueueUntil(p wire.PublishLoad, extra *wire.Map) (time.Time, error) {
	v, ok := extra.Get(QueueField)
	if !ok && p.Extra != nil {
		v, ok = p.Extra.Get(QueueField)
	}
	if raw, is := v.(wire.Raw); is {
		var err error
		if v, err = wire.Decode(raw); err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", QueueField, err)
		}
	}
	if !ok || v == nil {
		return time.Time{}, nil
	}
	seconds := wire.NewMap("v", v).Float("v")
	until := time.Unix(int64(seconds), 0)
	if left := until.Sub(s.o.Now()); seconds <= 0 || left > maxQueue {
		return time.Time{}, fmt.Errorf("%s: %v is not a time within a year, in seconds since 1970", QueueField, v)
	}
	return until, nil
}

// dequeue cancels a queued job for the minions that have not received it. Nodes below are asked
// separately.
func (s *Service) dequeue(jid string) (retention.Waiting, error) {
	w, err := s.Dequeue(jid)
	if err != nil {
		return w, err
	}
	s.Unqueue(w, engine.Dequeued)
	return w, nil
}

// StillQueued reports whether the kwargs of a stored load have a future deadline.
func (s *Service) StillQueued(kwargs wire.Raw) bool {
	extra, err := wire.DecodeMap(kwargs)
	if err != nil {
		return false
	}
	until, err := s.QueueUntil(wire.PublishLoad{}, extra)
	return err == nil && until.After(s.o.Now())
}
