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

// Publication is a job that this node was given, to publish it.
type Publication struct {
	// Spec is the job with those who are here to be asked, as presence knows them.
	Spec Job
	Load returners.Load
	// Minions are the node's own that the target matches.
	Minions []string
	// Kept is what is to be given to those who miss the publication; nil: nothing is.
	Kept []byte
	// Asks are notes of who asks for it, which a restart has to know with the job. Who
	// asks for one that is known already is noted before that is told here.
	Asks []returners.Note
	// Ref comes back with the effects of this publication. The engine does not look at it.
	Ref any
	// Early tells that the jid was given with the job: returns of it may be here
	// already, which minions or nodes brought from elsewhere.
	Early bool
	// Grows tells that the job was given before and is published to further minions: the load
	// is that of the whole job, all else is of this publication, which Spec.Part numbers.
	Grows bool

	adopted bool           // it was given in an earlier life, and is known by minions now
	held    bool           // it grows, and its account is held open
	before  *formerAccount // of one that grows and whose account is forgotten
}

// Publish begins a job. What it gives has to be committed; the job is published once
// [Engine.Saved] was told of that. known: somebody gave the same jid before, and it runs
// once. Who asks now is told what is known of it, and nothing has to be committed.
//
// One jid at a time: the caller does not begin a second one before the first is saved.
func (e *Engine) Publish(ctx context.Context, p Publication) (s Save, known bool, err error) {
	given, err := e.given(ctx, p.Spec.JID)
	if err != nil {
		return s, false, err
	}
	if given && p.Grows {
		s, err = e.extend(ctx, &p)
		return s, false, err
	}
	if given {
		if p.adopted = e.ledger.adopted(p.Spec.JID); !p.adopted {
			e.newEvent(&p, true)
			e.put(p.skip())
			//mutant:engine-second-parent-hears
			return s, true, e.again(ctx, p.name())
		}
		if p.Kept != nil { // the one of then is kept no more
			e.change(func() { e.words.put(record{notes: []returners.Note{p.keep()}}) })
		}
		e.begin(&p)
		return s, true, nil
	}
	//mutant:own-record-first
	p.Load.Own = true // before what others told of it
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

// name tells apart the publications of a job.
func (p *Publication) name() returners.Part {
	return returners.Part{JID: p.Spec.JID, N: p.Spec.Part}
}

// skip reports that the publication is not sent.
func (p *Publication) skip() Skip { return Skip{p.Spec.JID, p.Ref} }

// keep is what is stored of the publication.
func (p *Publication) keep() returners.Note { return p.name().Kept(p.Kept) }

// given tells by what is stored whether somebody gave a job to this node.
func (e *Engine) given(ctx context.Context, jid string) (bool, error) {
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("look for job %s: %w", jid, err)
	}
	_, loaded, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("look for job %s: %w", jid, err)
	}
	return returners.PublishedHere(loaded, xs...), nil
}

// Known tells whether a job runs here already, so that giving it once more has nothing stored:
// it needs no room among the words that wait, and who asks is told at once what is known of it.
func (e *Engine) Known(ctx context.Context, jid string) (bool, error) {
	given, err := e.given(ctx, jid)
	return given && !e.ledger.adopted(jid), err
}

// begin opens the account of a stored job and has it published.
func (e *Engine) begin(p *Publication) {
	e.mark(p)
	e.newEvent(p, false)
	// From here on the ledger may speak of the job: its own events go first.
	if err := e.ledger.openJob(p.Spec); err != nil { // it was taken up meanwhile, and closed
		e.put(p.skip())
		return
	}
	e.handOut(p)
}

// mark remembers that a job is open, and that its publication is kept.
func (e *Engine) mark(p *Publication) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[p.Spec.JID] = struct{}{}
	if p.Kept != nil {
		e.keep(p.name(), p.Spec.Queue)
	}
}

// handOut has a publication sent, behind what the account has found for it.
func (e *Engine) handOut(p *Publication) {
	e.change(func() {
		e.digest()
		e.effects = append(e.effects, Publish{JID: p.Spec.JID, Ref: p.Ref, Early: p.Early})
	})
}

// newEvent tells of a new job, and who has to answer it here. That of a job that came a
// second time is told from what is stored: who is here by now was not given it.
func (e *Engine) newEvent(p *Publication, again bool) {
	//mutant:engine-again-old
	if !again || !e.cfg.Parent {
		e.put(Tell{Word: expectation(p)})
	}
	e.put(Started{p.Spec.JID, p.Ref})
}

// expectation is the word on who has to answer a job here.
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

// again tells a job from the start that came a second time: who asks now has heard
// neither what the nodes below said, nor who is missing.
func (e *Engine) again(ctx context.Context, p returners.Part) error {
	if !e.cfg.Parent {
		return nil
	}
	jid := p.JID
	defer e.hold(jid)()
	for w, err := range e.story(ctx, p, e.cfg.Bounds.TellMinions) {
		if err != nil {
			return err
		}
		e.put(Tell{Word: w})
	}
	e.lateWord(jid)
	return nil
}

// lateWord has the masters above told of a closed job that all was said of it once more.
func (e *Engine) lateWord(jid string) {
	if !e.cfg.Parent || !e.ledger.isClosed(jid) {
		return
	}
	e.change(func() { e.words.end(jid, true) })
}

// hold keeps jobs among those that the masters above have to be told of until release
// is called.
func (e *Engine) hold(jids ...string) (release func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, jid := range jids {
		e.late[jid]++
	}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, jid := range jids {
			if e.late[jid]--; e.late[jid] == 0 {
				delete(e.late, jid)
			}
		}
	}
}

// CountStored enters returns of a job that were here before it: a node or minion that
// came here meanwhile brought them, and gives nothing twice.
func (e *Engine) CountStored(ctx context.Context, jid string) error {
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	if err != nil {
		return fmt.Errorf("count the returns that were here before job %s: %w", jid, err)
	}
	for _, r := range rets {
		e.ledger.returned(jid, r.ID, r.Via, r.OK)
	}
	return nil
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
