package batchstate

import (
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// TagPrefix begins the tags of events about batches.
const TagPrefix = "salt/batch/"

var tags = regexp.MustCompile(`^salt/batch/([^/]+)/(new|stop|recover|progress|complete|halted)$`)

// ReadTag parses the tag of an event about a batch; id is "" for other events.
func ReadTag(tag string) (id, action string) {
	m := tags.FindStringSubmatch(tag)
	if m == nil || !jid.Valid(m[1]) {
		return "", ""
	}
	return m[1], m[2]
}

func (s *State) event(more ...any) *wire.Map {
	m := wire.NewMap("jid", s.JID, "fun", s.function(), "tgt", s.Tgt, "tgt_type", s.TgtType, "user", s.User)
	for i := 0; i+1 < len(more); i += 2 {
		m.Set(more[i], more[i+1])
	}
	return m
}

// NewEvent returns the event of a batch that began.
func (s *State) NewEvent() (string, *wire.Map) {
	return TagPrefix + s.JID + "/new", s.event("total_minions", len(s.All), "batch_size", s.Size, "driver", s.Driver, "created", s.Created)
}

// ProgressEvent returns the event of a batch that went on.
func (s *State) ProgressEvent() (string, *wire.Map) {
	return TagPrefix + s.JID + "/progress", s.event("total", len(s.All), "completed", len(s.Done), "active", len(s.Active), "pending", len(s.Pending),
		"failed", len(s.Failed), "iter", nil, "last_progress", s.LastProgress)
}

// EndEvent returns the event complete or halted.
func (s *State) EndEvent(now time.Time) (string, *wire.Map) {
	took := max(0, Unix(now)-s.Created)
	if !s.Halted {
		return TagPrefix + s.JID + "/complete", s.event("completed", len(s.Done), "failed", len(s.Failed), "total_minions", len(s.All), "duration", took)
	}
	return TagPrefix + s.JID + "/halted", s.event("reason", s.reason(), "completed", len(s.Done), "failed", len(s.Failed),
		"abandoned_active", wire.AnyList(slices.Sorted(maps.Keys(s.Active))), "abandoned_pending", wire.AnyList(s.Pending), "duration", took)
}

// The actions of events, the last part of their tags.
const (
	ActionNew      = "new"
	ActionProgress = "progress"
	ActionComplete = "complete"
	ActionHalted   = "halted"
)

// CommandEvent returns an event by which a waiting command reports its batch. It carries the whole state, which the
// master writes for the command.
func (s *State) CommandEvent(action string) (string, *wire.Map) {
	return TagPrefix + s.JID + "/" + action, s.event("driver", s.Driver, "state", s.fields())
}
