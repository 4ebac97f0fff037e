package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// maxTimeout bounds a job's timeout, in seconds.
const maxTimeout = 365 * 24 * 3600

// publish is the clear command of the same name: the start of every job (Salt wire
// reference §10).
func (m *Master) publish(ctx context.Context, load wire.Raw) any {
	p, err := wire.ParsePublishLoad(load)
	if err == nil {
		err = wire.FitFields(load, m.cfg.Bounds.Depth)
	}
	if err != nil {
		return refusal{"SaltInvocationError", "publish: " + err.Error()}.reply()
	}
	calls, err := access.Calls(p)
	if err != nil {
		return refusal{"SaltInvocationError", "publish: " + err.Error()}.reply()
	}
	job, err := m.admit(p, calls)
	if err != nil {
		var r refusal
		if !errors.As(err, &r) {
			return refusal{"SaltInvocationError", err.Error()}.reply()
		}
		m.refusedUser("publish", p.User, wire.FunName(p.Fun))
		return r.reply()
	}
	if job.nobody() && !m.cfg.OrderMasters {
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{},
			"error", fmt.Sprintf("Master could not resolve minions for target %v", job.tgt)))
	}
	if p.JID != "" {
		defer m.starts.Lock(job.jid)()
		if err := m.sameJob(ctx, job); err != nil {
			return err.reply()
		}
	}
	if err := m.start(ctx, job); err != nil {
		m.failing("A job could not be started", err, "jid", job.jid)
		return refusal{"SaltReqTimeoutError", err.Error()}.reply()
	}
	return wire.NewMap("enc", "clear", "load", job.published())
}

// returning tells whether a new job waits for a minion that is not connected: it
// comes back after our start, and the publication is kept for it.
func (m *Master) returning(id string) bool { return m.kept.Keeps() && m.presence.Returning(id) }

// start stores the job, opens its account, tells the bus, and publishes.
func (m *Master) start(ctx context.Context, j *job) error {
	spec := ledger.Job{
		JID: j.jid, Fun: j.fun, Minions: m.ledgerMinions(j.minions, m.returning), Nodes: j.nodes, Queue: !j.until.IsZero(),
		Timeout: m.cfg.Timeout, Named: named(j.tgt, j.load.TgtType), Everyone: j.tgt == "*" && j.load.TgtType == "glob",
	}
	if t, err := wire.Int(j.load.Timeout); err == nil && t > 0 {
		spec.Timeout = time.Duration(min(t, maxTimeout)) * time.Second
	}
	if !j.fromAbove {
		spec.Unclaimed = j.missing
	}
	stored, err := j.stored()
	if err != nil {
		return err
	}
	m.traces.Received(j.jid, m.now())
	x := returners.Expectation{JID: j.jid, Minions: j.minions, At: m.now()}
	p, err := m.publication(j)
	if err != nil {
		return err
	}
	if err := m.books.Room(ctx); err != nil {
		return fmt.Errorf("start job %s: %w", j.jid, err)
	}
	kept, err := m.keepAndMark(j, p)
	if err != nil {
		return err
	}
	unkeep := func() {
		if kept {
			m.kept.Drop(j.jid)
		}
	}
	fresh, err := m.store.SaveJob(ctx, returners.Load{JID: j.jid, Raw: stored, User: j.user(), At: m.now()}, x)
	if err != nil {
		unkeep()
		return errors.Join(err, m.unmark(j.jid))
	}
	if fresh {
		m.showJob(j, stored)
	}
	again := !fresh && !m.ledger.Adopted(j.jid)
	// From here on the hooks may speak of the job, so its own events go first.
	m.tellJob(j, spec, again)
	if again {
		unkeep()
		return m.again(j)
	}
	if err := m.ledger.Open(spec); err != nil {
		unkeep()
		return m.again(j)
	}
	m.meant.Note(j.jid, j.load.TgtType, j.expr)
	err = m.send(j, p)
	m.traces.Published(j.jid, m.now())
	m.lookAgain(spec)
	m.countEarly(ctx, j)
	return err
}

// keepAndMark does what has to be on the disk before a job is stored. Its publication
// is kept, so that whatever is stored can be published, and the job is marked: a mark
// without a job is cleared at the next start, a job without a mark would not be taken up
// again. Both wait for the disk at once. It tells whether the publication is new.
func (m *Master) keepAndMark(j *job, p wire.Publication) (kept bool, err error) {
	marked := make(chan error, 1)
	go func() { marked <- m.open.Mark(j.jid) }()
	kept, err = m.retain(j, p)
	merr := <-marked
	if err != nil {
		return false, errors.Join(err, m.unmark(j.jid))
	}
	if merr != nil {
		if kept {
			m.kept.Drop(j.jid)
		}
		return false, merr
	}
	return kept, nil
}

// countEarly enters returns that were here before the job: a node that came to
// this master meanwhile had heard it elsewhere, and returns nothing twice.
func (m *Master) countEarly(ctx context.Context, j *job) {
	if !j.fromAbove { // nobody knew the jid before
		return
	}
	m.countStored(ctx, j.jid)
}

// countStored enters the returns of a job that are in the store.
func (m *Master) countStored(ctx context.Context, jid string) {
	rets, err := m.store.Outcomes(ctx, jid)
	if err != nil {
		m.log.Error("The returns that were here before their job could not be counted", "jid", jid, "err", err)
	}
	for _, r := range rets {
		m.ledger.Returned(jid, r.ID, r.Via, r.OK)
	}
}

// again ends the start of a job that was started before: a second way led it
// here. It runs once; its account has been told again.
func (m *Master) again(j *job) error {
	m.log.Info("A job came a second time and is not published again", "jid", j.jid, "user", j.user())
	if err := m.unmark(j.jid); err != nil {
		return err
	}
	if m.parent == "" {
		return nil
	}
	defer m.lateJobs.hold(j.jid)()
	// Who asks now has not heard what the nodes below said, nor who is missing.
	_, err := m.story(j.jid, m.cfg.Bounds.TellMinions, func(tag string, d *wire.Map) bool {
		m.fire(tag, d)
		return true
	})
	if err != nil {
		return err
	}
	if m.ledger.Closed(j.jid) {
		m.bookLate(j.jid)
	}
	return nil
}

// unmark takes back the mark of a job unless its account is open.
func (m *Master) unmark(jid string) error {
	if a, ok := m.ledger.State(jid); ok && a.Open() {
		return nil
	}
	return m.open.Clear(jid)
}

// lookAgain tells the ledger of those whose connection broke after the job was
// matched and before the ledger knew it: nothing else would end the wait.
func (m *Master) lookAgain(spec ledger.Job) {
	for _, min := range spec.Minions {
		s := m.presence.Minion(min.ID)
		switch live := s.Live; {
		case s.Stock:
			if live == ledger.Away && min.Live == ledger.Untracked {
				m.ledger.MinionDown(min.ID, m.stockWait())
			}
		case min.Live == ledger.Up && live != ledger.Up:
			m.ledger.MinionDown(min.ID, 0)
		case min.Live == ledger.Away && live == ledger.Up: // it has heard the publication
			m.ledger.MinionUp(min.ID, map[string]bool{spec.JID: true})
		}
	}
	for _, n := range spec.Nodes {
		switch live, _ := m.presence.Node(n.ID); {
		case n.Live == ledger.Up && live != ledger.Up:
			m.ledger.NodeDown(n.ID)
		case n.Live == ledger.Away && live == ledger.Up:
			m.ledger.NodeUp(n.ID)
		}
	}
}

// tellJob fires Salt's two events of a new job. The first doubles as this
// node's expectation on its way to the master above. again: it came a second time,
// and what it found then is told; who is here by now is not given it.
func (m *Master) tellJob(j *job, spec ledger.Job, again bool) {
	if !again || m.parent == "" {
		m.tellExpectation(j, spec)
	}
	m.fire("salt/job/"+j.jid+"/new", wire.NewMap("jid", j.jid, "tgt_type", j.load.TgtType, "tgt", j.tgt,
		"user", j.user(), "fun", j.load.Fun, "arg", j.load.Arg, "minions", j.minions, "missing", j.missing))
}

func (m *Master) tellExpectation(j *job, spec ledger.Job) {
	unreachable := wire.NewMap()
	for _, min := range spec.Minions {
		if min.Live == ledger.Down || min.Live == ledger.Away && min.Grace == 0 {
			reason := ledger.NotConnected
			if spec.Queue {
				reason = ledger.Queued
			}
			unreachable.Set(min.ID, reason)
		}
	}
	asked := make([]any, 0, len(j.nodes))
	for _, n := range j.nodes {
		if n.Live == ledger.Up || n.Live == ledger.Untracked || n.Live == ledger.Away && n.Grace > 0 {
			asked = append(asked, n.ID)
		}
	}
	m.fire(j.jid, wire.NewMap("minions", j.minions, "jid", j.jid,
		"mom", wire.NewMap("node", "", "asked", asked, "unreachable", unreachable)))
}
