package session

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// A master judges a target by its copies of this minion's grains and pillar. If they match
// and those of the minion do not, the master waits for an answer that nobody gives. So the
// minion tells it, where it can know that it is waited for, and when it is asked about the
// job otherwise.

const (
	// maxPassed bounds how many jobs that were not for this minion are remembered.
	maxPassed = 256
	// maxDeclined bounds how many jobs the master is still to be told about.
	maxDeclined = 64
)

// passed are the last jobs with a target that looks at data and does not match this minion: by
// jid, what data that is.
type passed = lru.Map[string, []string]

// view is what the master has of this minion, as far as this process knows.
type view struct{ grains, pillar any }

// looked is a subject that notes which data a target looks at.
type looked struct {
	target.Subject
	grains, pillar bool
}

func (l *looked) Grains() any { l.grains = true; return l.Subject.Grains() }
func (l *looked) Pillar() any { l.pillar = true; return l.Subject.Pillar() }

// seen is this minion as a target sees it by a view.
type seen struct {
	id string
	view
}

func (s seen) ID() string  { return s.id }
func (s seen) Grains() any { return s.grains }
func (s seen) Pillar() any { return s.pillar }

// PassOver is told of a job that is not for this minion. It tells the master if that
// certainly waits for this minion.
func (s *Session) PassOver(p wire.Publication) {
	asked, _, narrowed, err := jobfields.Requested(p)
	if err != nil || !s.hearsDeclined.Load() {
		return
	}
	expr, err := s.parse(asked)
	if err != nil || !expr.NeedsData() {
		return
	}
	at := &looked{Subject: subject{s}}
	if expr.Match(at) { // it is not among those that the master has judged
		return
	}
	var data []string
	for what, is := range map[string]bool{"grains": at.grains, "pillar": at.pillar} {
		if is {
			data = append(data, what)
		}
	}
	slices.Sort(data)
	s.passed.Add(p.JID, data)
	waited := false
	if narrowed {
		waited, err = s.matches(p)
		waited = waited && err == nil
	} else if v := s.told.Load(); v != nil {
		waited = expr.Match(seen{s.all.Options.ID, *v})
	}
	if waited {
		s.declineData(p.JID, data)
	}
}

// asked is told of each publication: if it asks about a job that was not for this minion, the
// master is told so beside the answer.
func (s *Session) asked(p wire.Publication) {
	if p.Extra == nil || !p.Extra.Bool("mom_probe") || !s.hearsDeclined.Load() {
		return
	}
	args, err := wire.Decode(p.Arg)
	list, _ := args.([]any)
	if err != nil || len(list) != 1 {
		return
	}
	jid, _ := list[0].(string)
	if data, ok := s.passed.Peek(jid); ok {
		s.declineData(jid, data)
	}
}

// declineData has the master told that a job is not taken. If too many wait for that, it asks
// by itself later.
func (s *Session) declineData(jid string, data []string) {
	s.log.Info("job declined: target does not match", "jid", jid, "data", data)
	select {
	case s.declined <- wire.NewMap("cmd", "_declined", "id", s.all.Options.ID, "jid", jid, "data", data):
	default:
		s.log.Warn("job not declined: too many pending", "jid", jid)
	}
}

// tellDeclined tells the master what is declined until ctx ends.
func (s *Session) tellDeclined(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case load := <-s.declined:
			if _, err := s.ch.Request(ctx, load); err != nil && ctx.Err() == nil {
				s.log.Warn("job not declined", "jid", load.String("jid"), "err", err)
			}
		}
	}
}
