package session

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// A master evaluates a target against its copies of this minion's grains and pillar. If the
// copies match and the minion's own data do not, the master would wait for an answer that never
// comes. So the minion declines the job: at once if it knows that the master waits for it,
// otherwise when the master asks about the job.

const (
	// maxPassed bounds how many jobs for others are remembered.
	maxPassed = 256
	// maxDeclined bounds the jobs whose refusal is not sent yet.
	maxDeclined = 64
)

// passed are the last jobs whose target uses data and does not match this minion: by jid, the
// kinds of data.
type passed = lru.Map[string, []string]

// view is the copy of this minion's data that the master has, as far as this process knows.
type view struct{ grains, pillar any }

// looked is a subject that records which data a target uses.
type looked struct {
	target.Subject
	grains, pillar bool
}

func (l *looked) Grains() any { l.grains = true; return l.Subject.Grains() }
func (l *looked) Pillar() any { l.pillar = true; return l.Subject.Pillar() }

// seen is this minion as a target sees it through a view.
type seen struct {
	id string
	view
}

func (s seen) ID() string  { return s.id }
func (s seen) Grains() any { return s.grains }
func (s seen) Pillar() any { return s.pillar }

// PassOver handles a job that is not for this minion. It declines the job if the master
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
	if expr.Match(at) { // the master did not select this minion
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
	} else if v := s.sent.Load(); v != nil {
		waited = expr.Match(seen{s.all.Options.ID, *v})
	}
	if waited {
		s.declineData(p.JID, data)
	}
}

// asked handles each publication: if it asks about a job that was not for this minion, asked
// declines that job, in addition to the answer.
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

// declineData queues a refusal of a job for the master. If the queue is full, the refusal is
// dropped, and the master asks about the job later.
func (s *Session) declineData(jid string, data []string) {
	s.log.Info("job declined: target does not match", "jid", jid, "data", data)
	select {
	case s.declined <- wire.NewMap("cmd", "_declined", "id", s.all.Options.ID, "jid", jid, "data", data):
	default:
		s.log.Warn("job not declined: too many pending", "jid", jid)
	}
}

// reportDeclined sends the queued refusals to the master until ctx ends.
func (s *Session) reportDeclined(ctx context.Context) {
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
