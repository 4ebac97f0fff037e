package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// EndingError refuses to extend a job whose end is being stored: stored after the extension, it
// would be taken for the end of that. The job can be extended once all words up to UpTo are
// stored (see [Stored]).
type EndingError struct {
	JID  string
	UpTo uint64
}

// Error names the job.
func (e EndingError) Error() string { return "the end of job " + e.JID + " is being stored" }

// formerAccount is what is stored of a job whose account is forgotten.
type formerAccount struct {
	rets []returners.Outcome
	gone map[string]jobevent.Absence
}

// stateAsked is what is stored of a node that owes its expectation for a further publication of
// a job: a restart waits for it, whatever it has said of an earlier one.
const stateAsked = string(jobevent.NodeAsked)

// extend makes ready to publish a job to further minions. The account stays open until
// [Engine.Saved] is told what became of what it gives.
func (e *Engine) extend(ctx context.Context, p *Publication) (s Save, err error) {
	jid := p.Spec.JID
	p.adopted = e.ledger.adopted(jid)
	p.held = !p.adopted && e.ledger.holdOpen(jid)
	defer func() {
		if err != nil && p.held {
			e.ledger.letClose(jid)
		}
	}()
	if err := e.ending(jid); err != nil {
		return s, err
	}
	if !p.held {
		if p.before, err = e.before(ctx, jid); err != nil {
			return s, err
		}
		p.Early = true // returns may come until the account is open
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

// askedOnce are the rows of nodes that are asked for a further publication of a job.
func askedOnce(jid string, at time.Time, nodes []string, above string) (xs []returners.Expectation) {
	for _, id := range nodes {
		//mutant:engine-grown-nodes-answer-again
		xs = append(xs, returners.Expectation{JID: jid, Node: above + id, State: stateAsked, At: at})
	}
	return xs
}

// ending is an [EndingError] while the end of a job waits to be stored.
func (e *Engine) ending(jid string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.digest()
	//mutant:engine-grows-behind-its-end
	if e.words.ends(jid) {
		return EndingError{jid, e.words.last}
	}
	return nil
}

// before reads what is stored of a job.
func (e *Engine) before(ctx context.Context, jid string) (*formerAccount, error) {
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return nil, fmt.Errorf("extend job %s: %w", jid, err)
	}
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	if err != nil {
		return nil, fmt.Errorf("extend job %s: %w", jid, err)
	}
	gone := Absent(xs)
	for _, r := range rets { // it came late, or over another node
		delete(gone, r.ID)
	}
	return &formerAccount{rets, gone}, nil
}

// grow extends a job, which is stored, and has the further publication sent.
func (e *Engine) grow(p *Publication) {
	e.mark(p)
	e.newEvent(p, false)
	known := false
	if p.held {
		known, _ = e.ledger.growJob(p.Spec)
	}
	if !known {
		e.openAgain(p)
	}
	e.handOut(p)
}

// openAgain opens the account of a job that was forgotten, or is known by minions alone that came
// at work on it, with what was stored of it.
func (e *Engine) openAgain(p *Publication) {
	spec := p.Spec
	spec.Entering = true
	var gone map[string]jobevent.Absence
	if p.before != nil {
		for _, r := range p.before.rets {
			spec.Answers = append(spec.Answers, Answer{ID: r.ID, Path: r.Via, OK: r.OK})
		}
		gone = p.before.gone
	}
	if err := e.ledger.openJob(spec); err != nil { // it was taken up meanwhile
		_, _ = e.ledger.growJob(p.Spec)
		return
	}
	e.ledger.named(spec.JID, gone)
	e.ledger.entered(spec.JID)
}

// parts is the newest publication of a job that has grown; 0: it has not.
func (e *Engine) parts(ctx context.Context, jid string) (int, error) {
	load, _, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return 0, fmt.Errorf("read the load of job %s: %w", jid, err)
	}
	return load.Part(), nil
}
