package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// EndingError is returned for an extension of a job whose end is queued: the end would be stored
// after the extension and close it. Retry once all records up to UpTo are stored; see
// [Engine.WhenStored].
type EndingError struct {
	JID  string
	UpTo uint64
}

// Error implements error.
func (e EndingError) Error() string { return "the end of job " + e.JID + " is being stored" }

// storedAccount is the stored state of a job that the ledger has forgotten.
type storedAccount struct {
	rets []returners.Outcome
	gone map[string]jobevent.Absence
}

// stateAsked marks a node that must answer a further publication of a job. A restart waits for it,
// whatever it answered earlier.
const stateAsked = string(jobevent.NodeAsked)

// extend prepares a publication to further minions. It holds the account open until
// [Engine.Saved].
func (e *Engine) extend(ctx context.Context, p *Publication) (s Save, err error) {
	jid := p.Spec.JID
	p.adopted = e.ledger.adopted(jid)
	p.held = !p.adopted && e.ledger.holdOpen(jid)
	defer func() {
		if err != nil && p.held {
			e.ledger.letClose(jid)
		}
	}()
	if err := e.checkEnding(jid); err != nil {
		return s, err
	}
	if !p.held {
		if p.before, err = e.storedAccount(ctx, jid); err != nil {
			return s, err
		}
		p.Early = true // returns may be stored before the account opens
	}
	p.Load.Own = true
	s = Save{job: p}
	s.Batch.Loads = []returners.Load{p.Load}
	s.Batch.Expectations = append(askedOnce(jid, e.cfg.Now(), expectation(p).Asked, ""),
		returners.Expectation{JID: jid, Minions: p.Minions, At: e.cfg.Now(), State: returners.StateAnswered})
	s.Batch.Notes = append([]returners.Note{{Kind: returners.NoteOpen, JID: jid}}, p.Asks...)
	if p.Kept != nil {
		s.Batch.Notes = append(s.Batch.Notes, p.keep())
	}
	return s, nil
}

// askedOnce returns the rows of nodes asked for a further publication.
func askedOnce(jid string, at time.Time, nodes []string, above string) (xs []returners.Expectation) {
	for _, id := range nodes {
		//mutant:engine-grown-nodes-answer-again
		xs = append(xs, returners.Expectation{JID: jid, Node: above + id, State: stateAsked, At: at})
	}
	return xs
}

// checkEnding returns an [EndingError] while the end of a job is queued.
func (e *Engine) checkEnding(jid string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drainFindings()
	//mutant:engine-grows-behind-its-end
	if e.records.endsJob(jid) {
		return EndingError{jid, e.records.last}
	}
	return nil
}

// storedAccount reads the stored state of a job.
func (e *Engine) storedAccount(ctx context.Context, jid string) (*storedAccount, error) {
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return nil, fmt.Errorf("extend job %s: %w", jid, err)
	}
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	if err != nil {
		return nil, fmt.Errorf("extend job %s: %w", jid, err)
	}
	gone := Absent(xs)
	for _, r := range rets { // late, or through another node
		delete(gone, r.ID)
	}
	return &storedAccount{rets, gone}, nil
}

// grow extends a stored job and sends the further publication.
func (e *Engine) grow(p *Publication) {
	e.mark(p)
	e.announce(p, false)
	known := false
	if p.held {
		known, _ = e.ledger.growJob(p.Spec)
	}
	if !known {
		e.openAgain(p)
	}
	e.send(p)
}

// openAgain opens the account of a forgotten or adopted job from its stored state.
func (e *Engine) openAgain(p *Publication) {
	spec := p.Spec
	spec.Restoring = true
	var gone map[string]jobevent.Absence
	if p.before != nil {
		for _, r := range p.before.rets {
			spec.Answers = append(spec.Answers, Answer{ID: r.ID, Path: r.Via, OK: r.OK})
		}
		gone = p.before.gone
	}
	if err := e.ledger.openJob(spec); err != nil { // restored meanwhile
		_, _ = e.ledger.growJob(p.Spec)
		return
	}
	e.ledger.addMissing(spec.JID, gone)
	if p.Runs != nil {
		e.ledger.resumeForgotten(spec.JID, p.Runs)
	}
	e.ledger.restored(spec.JID)
}

// parts returns the newest publication of a job, 0 for the first.
func (e *Engine) parts(ctx context.Context, jid string) (int, error) {
	load, _, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return 0, fmt.Errorf("read the load of job %s: %w", jid, err)
	}
	return load.Part(), nil
}
