package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Publication is a job to publish at this node.
type Publication struct {
	// Spec is the job, with its peers as presence knows them.
	Spec Job
	Load returners.Load
	// Minions are the direct minions that match the target.
	Minions []string
	// Kept is the publication stored for peers that miss it; nil: none.
	Kept []byte
	// Asks are the notes of who requested the job, stored with it. For a known job, the caller
	// stores them before Publish.
	Asks []returners.Note
	// Ref is returned in the effects of this publication. The engine does not use it.
	Ref any
	// Early means that the jid came with the request: returns may already be stored, brought by
	// minions or nodes from elsewhere.
	Early bool
	// Grows means a publication of a known job to further minions. Load covers the whole job, the
	// other fields this publication; Spec.Part numbers it.
	Grows bool
	// Runs reports whether a direct minion announced the job as running when it connected. It must
	// not block or call the engine. nil: none did.
	Runs func(id string) bool

	adopted bool           // published by a previous run; adopted since
	held    bool           // grows; its account is held open
	before  *storedAccount // grows; set if its account is forgotten
}

// Publish starts a job. Commit s and pass the result to [Engine.Saved], which publishes the job.
// known means that the jid was published before: the job runs once, the history goes to the new
// requester, and s is empty.
//
// Do not call Publish for a jid whose previous Save is in flight.
func (e *Engine) Publish(ctx context.Context, p Publication) (s Save, known bool, err error) {
	given, err := e.published(ctx, p.Spec.JID)
	if err != nil {
		return s, false, err
	}
	if given && p.Grows {
		s, err = e.extend(ctx, &p)
		return s, false, err
	}
	if given {
		if p.adopted = e.ledger.adopted(p.Spec.JID); !p.adopted {
			e.announce(&p, true)
			e.enqueueNow(p.skip())
			//mutant:engine-second-parent-hears
			return s, true, e.repeatHistory(ctx, p.name())
		}
		if p.Kept != nil { // the earlier one was dropped
			e.change(func() { e.records.put(record{notes: []returners.Note{p.keep()}}) })
		}
		e.begin(&p)
		return s, true, nil
	}
	//mutant:own-record-first
	p.Load.Own = true // takes precedence over reported loads
	s = Save{job: &p}
	s.Batch.Loads = []returners.Load{p.Load}
	s.Batch.Expectations = []returners.Expectation{{JID: p.Spec.JID, Minions: p.Minions, At: e.cfg.Now(), State: returners.StateAnswered}}
	//mutant:open-marks-are-synced
	s.Batch.Notes = []returners.Note{{Kind: returners.NoteOpen, JID: p.Spec.JID}}
	//mutant:origins-in-the-commit
	s.Batch.Notes = append(s.Batch.Notes, p.Asks...)
	if p.Kept != nil {
		//mutant:publications-in-the-commit
		s.Batch.Notes = append(s.Batch.Notes, p.keep())
	}
	return s, false, nil
}

// name identifies the publication.
func (p *Publication) name() returners.Part {
	return returners.Part{JID: p.Spec.JID, N: p.Spec.Part}
}

// skip returns the effect for a publication that is not sent.
func (p *Publication) skip() Skip { return Skip{p.Spec.JID, p.Ref} }

// keep returns the note that stores the publication.
func (p *Publication) keep() returners.Note { return p.name().Kept(p.Kept) }

// published reports from the store whether a job was published at this node.
func (e *Engine) published(ctx context.Context, jid string) (bool, error) {
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("read job %s: %w", jid, err)
	}
	_, loaded, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("read job %s: %w", jid, err)
	}
	return returners.PublishedHere(loaded, xs...), nil
}

// Known reports whether Publish would store nothing, because the job runs here already. Such a
// call need not wait for room in the queue.
func (e *Engine) Known(ctx context.Context, jid string) (bool, error) {
	given, err := e.published(ctx, jid)
	return given && !e.ledger.adopted(jid), err
}

// begin opens the account of a stored job and publishes it.
func (e *Engine) begin(p *Publication) {
	e.mark(p)
	e.announce(p, false)
	// From here on the ledger reports on the job; its own events precede that.
	if err := e.ledger.openJob(p.Spec); err != nil { // restored meanwhile, and closed
		e.enqueueNow(p.skip())
		return
	}
	e.send(p)
}

// mark records that a job is open and its publication is stored.
func (e *Engine) mark(p *Publication) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[p.Spec.JID] = struct{}{}
	if p.Kept != nil {
		e.keepPublication(p.name(), p.Spec.Queue)
	}
}

// send enqueues a publication, after the findings of the ledger.
func (e *Engine) send(p *Publication) {
	e.change(func() {
		e.drainFindings()
		e.effects = append(e.effects, Publish{JID: p.Spec.JID, Ref: p.Ref, Early: p.Early})
	})
}

// announce reports a new job and its own expectation. A repeated job is reported from the store
// instead: minions that connected since have not received it.
func (e *Engine) announce(p *Publication, again bool) {
	//mutant:engine-again-old
	if !again || !e.cfg.Parent {
		e.enqueueNow(SendReport{Word: expectation(p)})
	}
	e.enqueueNow(Started{p.Spec.JID, p.Ref})
}

// expectation returns this node's own expectation.
func expectation(p *Publication) jobevent.Expectation {
	w := jobevent.Expectation{
		JID: p.Spec.JID, Ours: true, Minions: p.Minions, Asked: []string{}, Unreachable: map[string]string{}, Part: p.Spec.Part,
	}
	for _, m := range p.Spec.Minions {
		if m.Silent != "" {
			w.Unreachable[m.ID] = m.Silent
			continue
		}
		if m.Live == Down || m.Live == Away && m.Grace == 0 {
			w.Unreachable[m.ID] = NotConnected
			if p.Spec.Queue {
				w.Unreachable[m.ID] = Queued
			}
		}
	}
	for _, n := range p.Spec.Nodes {
		if n.Live == Up || n.Live == Untracked || n.Live == Away && n.Grace > 0 {
			w.Asked = append(w.Asked, n.ID)
		}
	}
	return w
}

// repeatHistory reports a known job from its start to a new requester.
func (e *Engine) repeatHistory(ctx context.Context, p returners.Part) error {
	if !e.cfg.Parent {
		return nil
	}
	jid := p.JID
	defer e.hold(jid)()
	for w, err := range e.history(ctx, p, e.cfg.Bounds.ReportMinions) {
		if err != nil {
			return err
		}
		e.enqueueNow(SendReport{Word: w})
	}
	e.reportEndAgain(jid)
	return nil
}

// reportEndAgain queues another end of a closed job, after reports that followed the first one.
func (e *Engine) reportEndAgain(jid string) {
	if !e.cfg.Parent || !e.ledger.isClosed(jid) {
		return
	}
	e.change(func() { e.records.end(jid, true) })
}

// hold keeps jobs in [Engine.Jobs] until release is called.
func (e *Engine) hold(jids ...string) (release func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, jid := range jids {
		e.reporting[jid]++
	}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, jid := range jids {
			if e.reporting[jid]--; e.reporting[jid] == 0 {
				delete(e.reporting, jid)
			}
		}
	}
}

// CountStored counts the returns stored before the job was opened. Whoever brought them does not
// send them again.
func (e *Engine) CountStored(ctx context.Context, jid string) error {
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	if err != nil {
		return fmt.Errorf("count stored returns of job %s: %w", jid, err)
	}
	for _, r := range rets {
		e.ledger.returned(jid, r.ID, r.Via, r.OK)
	}
	return nil
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
