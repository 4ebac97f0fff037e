package batches

import (
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

const tagPrefix = "salt/batch/"

var tags = regexp.MustCompile(`^salt/batch/([^/]+)/(new|stop|recover|progress|complete|halted)$`)

// readTag parses the tag of an event about a batch; id is "" for other events.
func readTag(tag string) (id, action string) {
	m := tags.FindStringSubmatch(tag)
	if m == nil || !jid.Valid(m[1]) {
		return "", ""
	}
	return m[1], m[2]
}

func (s *State) event(more ...any) *wire.Map {
	m := wire.NewMap("jid", s.JID, "fun", s.fun(), "tgt", s.Tgt, "tgt_type", s.TgtType, "user", s.User)
	for i := 0; i+1 < len(more); i += 2 {
		m.Set(more[i], more[i+1])
	}
	return m
}

func (s *State) newEvent() (string, *wire.Map) {
	return tagPrefix + s.JID + "/new", s.event("total_minions", len(s.All), "batch_size", s.Size, "driver", s.Driver, "created", s.Created)
}

func (s *State) progressEvent() (string, *wire.Map) {
	return tagPrefix + s.JID + "/progress", s.event("total", len(s.All), "completed", len(s.Done), "active", len(s.Active), "pending", len(s.Pending),
		"failed", len(s.Failed), "iter", nil, "last_progress", s.LastProgress)
}

// endEvent returns the event complete or halted.
func (s *State) endEvent(now time.Time) (string, *wire.Map) {
	took := max(0, unix(now)-s.Created)
	if !s.Halted {
		return tagPrefix + s.JID + "/complete", s.event("completed", len(s.Done), "failed", len(s.Failed), "total_minions", len(s.All), "duration", took)
	}
	return tagPrefix + s.JID + "/halted", s.event("reason", s.reason(), "completed", len(s.Done), "failed", len(s.Failed),
		"abandoned_active", wire.AnyList(slices.Sorted(maps.Keys(s.Active))), "abandoned_pending", wire.AnyList(s.Pending), "duration", took)
}
