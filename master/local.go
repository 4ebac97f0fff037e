package master

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

var (
	// ErrNoMatch is wrapped if no minion matches the target.
	ErrNoMatch = publish.ErrNoMatch
	// ErrNotNow is wrapped if no job can be started at the moment.
	ErrNotNow = publish.ErrNotNow
)

// Publish starts a job of a master above, received by the forwarder, with the rights of the
// master's own user and the rules that the master above sends. The requesters are stored in the
// same commit. Errors wrap [ErrNoMatch] or [ErrNotNow], or are permanent refusals.
func (m *Master) Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error {
	p.User = m.access.Own
	load, err := p.Encode()
	if err != nil {
		return fmt.Errorf("encode the publication of job %s: %w", p.JID, err)
	}
	err = m.server.Inside(ctx, "publish", load, func(ctx context.Context) error {
		_, err := m.publisher.PublishLoad(ctx, load, access.By{Owner: m.access.Own}, asks...)
		return err
	})
	if errors.Is(err, server.ErrNotStored) {
		return publish.NotNow(err)
	}
	return err
}

// Note stores notes of the forwarder.
func (m *Master) Note(ctx context.Context, notes ...returners.Note) error {
	_, err := m.store.Save(ctx, returners.Noted(notes...))
	return err
}

// Answer answers a question of the master above, for this node and all below.
func (m *Master) Answer(ctx context.Context, what string, arg wire.Raw) (any, error) {
	return m.below.Answer(ctx, what, arg)
}

// OpenJobs returns the jobs that a reconnected master above must be informed of: open jobs and
// those with an unreported end. It returns at most n jids greater than after, sorted, and blocks
// until the jobs of the previous run are restored.
func (m *Master) OpenJobs(after string, n int) []string {
	select {
	case <-m.server.Opened(): // open jobs are restored
	case <-m.ctx.Done():
		return nil
	}
	return m.jobs.Jobs(after, n)
}

// LastReport returns the number of a job's last report if the job is closed and its end is unreported.
func (m *Master) LastReport(jid string) (word uint64, closed bool) {
	return m.jobs.LastReport(jid)
}

// Reported reports that the masters above that requested a job have accepted its reports up to the
// event salt/job/<jid>/closed with that number.
func (m *Master) Reported(jid string, word uint64) { m.jobs.ReportsAccepted(jid, word) }

// Reports yields the reports of a job from its start, at most n minions per event, for a parent that
// was away. For a closed job, salt/job/<jid>/closed follows; it is for the forwarder, see
// [Master.Reported].
func (m *Master) Reports(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		word, closed := m.jobs.LastReport(jid) // read first: all reports up to this number are stored
		send := func(w jobevent.Word) bool {
			tag, data := w.Encode()
			return yield(bus.Event{Tag: tag, Data: data, Value: w, Stamp: m.now()})
		}
		ctx, cancel := engine.WriteContext()
		defer cancel()
		some := false
		for w, err := range m.jobs.History(ctx, jid, n) {
			if err != nil {
				m.log.Error("job not announced to parents", "jid", jid, "err", err)
				return
			}
			if some = true; !send(w) {
				return
			}
		}
		switch {
		case closed && !some: // removed from the store
			m.Reported(jid, word)
		case closed:
			send(jobevent.Closed{JID: jid, Word: word})
		}
	}
}
