package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/driver"
	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// maxTimeout bounds a job's timeout, in seconds.
const maxTimeout = 365 * 24 * 3600

func init() {
	own.Register(server.Command{
		Name: "publish", Who: server.User,
		Args: []string{"tgt", "tgt_type", "fun", "arg", "ret", "timeout", "jid", "kwargs"},
		Doc: `
Starts a job.

tgt, tgt_type
    Whom it means.
fun, arg
    The function and its arguments, or a list of functions with a list of lists.
ret, timeout, jid
    Returners for the minions, how long they are waited for before they are asked, in
    seconds, and the id that the caller has chosen.
kwargs
    Further fields of the publication, and queue_until.
`,
	}, func(m *Master) server.Handler { return m.publish })
}

// publish is the clear command of the same name: the start of every job (Salt wire
// reference §10).
func (m *Master) publish(ctx context.Context, r *server.Request) (any, error) {
	j, err := m.give(ctx, r.Load, r.User)
	switch {
	case errors.Is(err, ErrNoMatch):
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{}, "error", err.Error())), nil
	case errors.Is(err, ErrNotNow):
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	case err != nil:
		return nil, err
	}
	return wire.NewMap("enc", "clear", "load", j.published()), nil
}

// give starts the job of a load, given by the owner of a key. It is published when no
// error comes back; one that is neither [ErrNoMatch] nor [ErrNotNow] is a
// [server.Refusal]. asks are notes of who asks for it.
func (m *Master) give(ctx context.Context, load wire.Raw, owner string, asks ...returners.Note) (*job, error) {
	p, err := wire.ParsePublishLoad(load)
	if err == nil {
		err = wire.FitFields(load, m.cfg.Bounds.Depth)
	}
	if err != nil {
		return nil, server.Invalid("publish: %v", err)
	}
	calls, err := access.Calls(p)
	if err != nil {
		return nil, server.Invalid("publish: %v", err)
	}
	j, err := m.admit(p, owner, calls)
	if err != nil {
		var no server.Refusal
		if !errors.As(err, &no) {
			return nil, server.Invalid("%v", err)
		}
		m.server.RefusedUser("publish", p.User, wire.FunName(p.Fun))
		return nil, no
	}
	if j.Nobody() && !m.cfg.OrderMasters {
		return nil, fmt.Errorf("%w %v", ErrNoMatch, j.tgt)
	}
	j.asks = asks
	if p.JID != "" {
		defer m.oneByOne.Lock(j.jid)()
		if err := m.sameJob(ctx, j); err != nil {
			return nil, err
		}
	}
	if err := m.start(ctx, j); err != nil {
		m.failing("A job could not be started", err, "jid", j.jid)
		return nil, notNow{err}
	}
	return j, nil
}

var (
	// ErrNoMatch is wrapped when a target means nobody. The words are Salt's.
	ErrNoMatch = errors.New("Master could not resolve minions for target") //nolint:staticcheck // Salt's text
	// ErrNotNow is wrapped when no job can be started just now, whatever it is.
	ErrNotNow = errors.New("no job can be started now")
)

// notNow is why.
type notNow struct{ error }

func (notNow) Is(target error) bool { return target == ErrNotNow }
func (e notNow) Unwrap() error      { return e.error }

// start has the engine begin a job, and waits until it is published.
func (m *Master) start(ctx context.Context, j *job) error {
	s := &start{job: j, done: make(chan struct{})}
	s.spec = ledger.Job{
		JID: j.jid, Fun: j.fun, Minions: m.peers.Minions(j.Minions, m.peers.Awaits), Nodes: j.Nodes, Queue: !j.until.IsZero(),
		Timeout: m.cfg.Timeout, Named: named(j.tgt, j.load.TgtType), Everyone: j.tgt == "*" && j.load.TgtType == "glob",
	}
	if t, err := wire.Int(j.load.Timeout); err == nil && t > 0 {
		s.spec.Timeout = time.Duration(min(t, maxTimeout)) * time.Second
	}
	if !j.fromAbove {
		s.spec.Unclaimed = j.Missing
	}
	stored, err := j.stored()
	if err != nil {
		return err
	}
	m.traces.Received(j.jid, m.now())
	if s.pub, err = m.publication(j); err != nil {
		return err
	}
	if err := m.driver.Room(ctx); err != nil {
		return fmt.Errorf("start job %s: %w", j.jid, err)
	}
	kept, err := m.publications.Retain(s.pub, j.topics(m.cfg.OrderMasters), j.until)
	if err != nil {
		return err
	}
	m.starts.put(s)
	defer m.starts.remove(s)
	err = m.begin(ctx, s, stored, kept)
	if err == nil {
		select {
		case <-s.done:
		case <-m.ctx.Done():
			err = fmt.Errorf("start job %s: the master ends: %w", j.jid, m.ctx.Err())
		}
	}
	if kept != nil && (err != nil || s.again) {
		m.publications.Drop(j.jid)
	}
	if err != nil {
		return err
	}
	if s.again {
		m.log.Info("A job came a second time and is not published again", "jid", j.jid, "user", j.user())
	}
	return s.err
}

// begin gives a job to the engine, and stores it if it is new here.
func (m *Master) begin(ctx context.Context, s *start, stored wire.Raw, kept []byte) error {
	j := s.job
	save, known, err := m.jobs.Publish(ctx, jobs.Publication{
		Spec: s.spec, Load: returners.Load{JID: j.jid, Raw: stored, User: j.user(), At: m.now()}, Minions: j.Minions, Early: j.fromAbove, Kept: kept, Asks: j.asks,
	})
	if err != nil || known {
		return err
	}
	res, err := m.store.Save(ctx, save.Batch)
	if err == nil {
		m.showJob(j, stored)
	}
	m.jobs.Saved(save, res, err)
	return err
}

// publishNow hands a publication to the subscribers, and tells the engine who came and
// went meanwhile, and what of the job was here before.
func (m *Master) publishNow(e jobs.Publish) {
	s := m.starts.of(e.JID)
	if s == nil {
		m.log.Error("A job that nobody starts was not published", "jid", e.JID)
		return
	}
	m.policy.Aimed(e.JID, s.job.load.TgtType, s.job.Expr)
	s.err = m.send(s.job, s.pub)
	m.traces.Published(e.JID, m.now())
	m.peers.LookAgain(s.spec)
	if e.Early {
		ctx, cancel := driver.Write()
		defer cancel()
		if err := m.jobs.CountStored(ctx, e.JID); err != nil {
			m.log.Error("The returns that were here before their job could not be counted", "jid", e.JID, "err", err)
		}
	}
	close(s.done)
}

// notPublished ends the start of a job that was given before.
func (m *Master) notPublished(jid string) {
	if s := m.starts.of(jid); s != nil {
		s.again = true
		close(s.done)
	}
}

// tellNew fires Salt's event of a new job. The word on who has to answer has gone before.
func (m *Master) tellNew(jid string) {
	s := m.starts.of(jid)
	if s == nil {
		return
	}
	j := s.job
	tag, data := jobevent.New{
		JID: j.jid, TgtType: j.load.TgtType, Tgt: j.tgt, User: j.user(), Fun: j.load.Fun, Arg: j.load.Arg, Minions: j.Minions, Missing: j.Missing,
	}.Encode()
	m.fireRaw(tag, data, "")
}
