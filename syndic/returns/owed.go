package returns

import (
	"context"
	"fmt"
	"slices"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/pace"
)

// Early has this parent given the returns that were here before anybody asked for
// their job: a node that came over from a sibling brought them, and they went to
// whoever takes what nobody is owed. false: that is still to be done.
func (s *Sender) Early(ctx context.Context, jid string) bool {
	err := s.oweNow(ctx, jid)
	if err != nil && ctx.Err() == nil {
		s.o.Log.Error("The returns that were here before their job are not owed to the master above as yet", "jid", jid, "err", err)
		s.o.Origins.Owe(s.o.Addr, jid)
	}
	return err == nil
}

// Again has this parent owed the returns of a job that another one has had.
func (s *Sender) Again(jid string) {
	s.mu.Lock()
	if s.more = len(s.asked) >= s.o.Bounds.AskedJobs; !s.more {
		s.asked = append(s.asked, jid)
	}
	s.mu.Unlock()
	pace.Ring(s.kick)
}

// Later has this parent owed the returns of a job when there is room for them among what
// it is owed: they are in the job store, so that no more than the jid is kept. false: too
// many jobs are kept so.
func (s *Sender) Later(jid string) bool {
	s.mu.Lock() // until both are known: oweNow may be at work on the job
	held, fresh := s.o.Origins.Owe(s.o.Addr, jid)
	if held && !s.comes(jid) {
		s.asked = append(s.asked, jid)
	}
	s.mu.Unlock()
	if fresh { // stored after what oweNow removes, it has the returns given once more after a restart
		if err := s.o.Origins.Note(context.Background(), origins.Owed(s.o.Addr, jid)); err != nil {
			s.o.Log.Error("Returns may not be given to the master above if this node is restarted before", "jid", jid, "err", err)
		}
	}
	pace.Ring(s.kick)
	return held
}

// comes tells whether a job will be owed that is not being owed just now. The caller
// holds mu.
func (s *Sender) comes(jid string) bool {
	return len(s.asked) > 1 && slices.Contains(s.asked[1:], jid)
}

// Full tells how many rows this parent is owed by name, and whether it is owed no more.
func (s *Sender) Full() (rows int64, full bool) {
	rows, bytes := s.o.Outbox.OutboxSize(s.dest)
	conf := s.o.Config
	return rows, rows >= int64(conf.OutboxMaxRows) || bytes >= conf.OutboxMaxBytes
}

// owe has the outbox owe this parent what is stored of the jobs that it asked for
// after others, as far as there is room.
func (s *Sender) owe(ctx context.Context) error {
	for {
		if _, full := s.Full(); full { // it is looked again when rows have landed
			return nil
		}
		s.mu.Lock()
		if len(s.asked) == 0 && s.more {
			s.asked, s.more = s.o.Origins.Owing(s.o.Addr), false
		}
		if len(s.asked) == 0 {
			s.mu.Unlock()
			return nil
		}
		jid := s.asked[0]
		s.mu.Unlock()
		if err := s.oweNow(ctx, jid); err != nil {
			return err
		}
		s.mu.Lock()
		s.asked = s.asked[1:]
		s.mu.Unlock()
	}
}

// oweNow owes this parent what is stored of one job, and notes that nothing of the
// kind is to be done for it any more.
func (s *Sender) oweNow(ctx context.Context, jid string) error {
	n, err := s.o.Outbox.OutboxOwe(ctx, s.dest, jid)
	if err != nil {
		return fmt.Errorf("owe the returns of job %s to a further master above: %w", jid, err)
	}
	var over []returners.Note
	s.mu.Lock()
	if !s.comes(jid) {
		over = s.o.Origins.Given(s.o.Addr, jid)
	}
	s.mu.Unlock()
	if err := s.o.Origins.Note(ctx, over...); err != nil {
		s.o.Log.Warn("Returns will be given to the master above once more after a restart", "jid", jid, "err", err)
	}
	if n > 0 {
		s.Wake()
	}
	return nil
}
