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

// OpenJobs lists at most n jobs with a jid after the given one, in the order of jids: open jobs,
// and closed ones whose end a parent may not have accepted. It blocks until the jobs of an earlier
// run are open again.
func (m *Master) OpenJobs(after string, n int) []string {
	select {
	case <-m.server.Opened(): // until the jobs of an earlier run are open
	case <-m.ctx.Done():
		return nil
	}
	return m.jobs.Jobs(after, n)
}

// LastReport returns the number of the last report of a closed job whose end a parent may not have
// accepted.
func (m *Master) LastReport(jid string) (word uint64, closed bool) {
	return m.jobs.Word(jid)
}

// Reported records that all parents that requested a job have accepted its reports up to the
// salt/job/<jid>/closed with that number.
func (m *Master) Reported(jid string, word uint64) { m.jobs.Told(jid, word) }

// Reports returns the events that state the expectation of a job, node by node, and its missing
// minions, each with at most n minions. The forwarder sends them to a parent that was away. For a
// closed job the last one is its salt/job/<jid>/closed, which stays in the forwarder; see
// [Master.Reported].
func (m *Master) Reports(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		word, closed := m.jobs.Word(jid) // read first: all reports up to this one are stored
		yieldWord := func(w jobevent.Word) bool {
			tag, data := w.Encode()
			return yield(bus.Event{Tag: tag, Data: data, Value: w, Stamp: m.now()})
		}
		ctx, cancel := engine.WriteContext()
		defer cancel()
		some := false
		for w, err := range m.jobs.Story(ctx, jid, n) {
			if err != nil {
				m.log.Error("job not announced to parents", "jid", jid, "err", err)
				return
			}
			if some = true; !yieldWord(w) {
				return
			}
		}
		switch {
		case closed && !some: // cleaned up
			m.Reported(jid, word)
		case closed:
			yieldWord(jobevent.Closed{JID: jid, Word: word})
		}
	}
}
