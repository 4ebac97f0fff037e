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
	// ErrNoMatch is wrapped when a target means nobody.
	ErrNoMatch = publish.ErrNoMatch
	// ErrNotNow is wrapped when no job can be started just now, whatever it is.
	ErrNotNow = publish.ErrNotNow
)

// Publish starts a job of a master above, which the forwarder of this node has heard: by
// the rights of the master's own user, held to what the master above says of its own. Who
// asks for it is stored in one commit with it. An error wraps [ErrNoMatch], [ErrNotNow],
// or else is a refusal for good.
func (m *Master) Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error {
	p.User = m.access.Own
	load, err := p.Encode()
	if err != nil {
		return fmt.Errorf("encode the publication of job %s: %w", p.JID, err)
	}
	err = m.server.Inside(ctx, "publish", load, func(ctx context.Context) error {
		_, err := m.publisher.Give(ctx, load, access.By{Owner: m.access.Own}, asks...)
		return err
	})
	if errors.Is(err, server.ErrNotStored) {
		return publish.NotNow(err)
	}
	return err
}

// Note stores notes of the forwarder that come without a job.
func (m *Master) Note(ctx context.Context, notes ...returners.Note) error {
	_, err := m.store.Save(ctx, returners.Noted(notes...))
	return err
}

// Answer answers a question of the master above, for this node and all below.
func (m *Master) Answer(ctx context.Context, what string, arg wire.Raw) (any, error) {
	return m.below.Answer(ctx, what, arg)
}

// OpenJobs lists the jobs that a master above has to be told of when it was away: the
// open ones, and the closed ones of which it may not have heard the end; in the order of
// their jids, those behind one, at most n.
func (m *Master) OpenJobs(after string, n int) []string {
	select {
	case <-m.server.Opened(): // the jobs of an earlier life are open again
	case <-m.ctx.Done():
		return nil
	}
	return m.jobs.Jobs(after, n)
}

// Word gives the number of the last word about a job that is closed and of which the
// masters above may not have heard the end.
func (m *Master) Word(jid string) (word uint64, closed bool) {
	return m.jobs.LastReport(jid)
}

// Told tells that the masters above that asked for a job have taken all that was
// told of it up to the event salt/job/<jid>/closed with that word.
func (m *Master) Told(jid string, word uint64) { m.jobs.ReportsAccepted(jid, word) }

// Story tells a job from the start, in events that speak of at most n minions each: who
// has to answer, node by node, and who will not. The forwarder sends them to a parent
// that was away. After those of a closed job comes its salt/job/<jid>/closed, which is
// for the forwarder; see [Master.Told].
func (m *Master) Story(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		word, closed := m.jobs.LastReport(jid) // before the rest is read: all up to this word is stored
		tell := func(w jobevent.Word) bool {
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
			if some = true; !tell(w) {
				return
			}
		}
		switch {
		case closed && !some: // cleaned up
			m.Told(jid, word)
		case closed:
			tell(jobevent.Closed{JID: jid, Word: word})
		}
	}
}
