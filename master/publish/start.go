package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// maxTimeout is the maximum timeout of a job, in seconds.
const maxTimeout = 365 * 24 * 3600

func init() {
	commands.Register(server.Command{
		Name: "publish", Who: server.User, Logins: true,
		Args: []string{"tgt", "tgt_type", "fun", "arg", "ret", "timeout", "jid", "kwargs"},
		Doc: `
Starts a job.

tgt, tgt_type
    The target.
fun, arg
    The function and its arguments, or a list of functions with a list of lists.
ret, timeout, jid
    Returners for the minions, seconds until silent minions are asked, and a job id
    chosen by the caller.
kwargs
    Further fields of the publication, and queue_until.

The answer has the jid and the minions of the whole tree that must answer. Nodes below
report theirs within a second; pending holds the paths of nodes that have not.
`,
	}, func(s *Service) server.Handler { return s.publish })
}

// publish serves the clear command publish, the start of every job (Salt wire reference §10).
func (s *Service) publish(ctx context.Context, r *server.Request) (any, error) {
	j, err := s.PublishLoad(ctx, r.Load, access.ByOf(r))
	switch {
	case errors.Is(err, ErrNoMatch):
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{}, "error", err.Error())), nil
	case errors.Is(err, ErrNotNow):
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	case err != nil:
		return nil, err
	}
	return wire.NewMap("enc", "clear", "load", s.reply(ctx, j)), nil
}

// PublishLoad starts the job of a load. It returns after the job is published. Errors wrap
// [ErrNoMatch] or [ErrNotNow], or are a [server.Refusal]. asks are the notes of the requesters
// above.
func (s *Service) PublishLoad(ctx context.Context, load wire.Raw, by access.By, asks ...returners.Note) (*Job, error) {
	j, p, calls, err := s.admitLoad(ctx, load, by)
	if err != nil {
		return nil, err
	}
	if j.Nobody() && !s.o.Config.OrderMasters {
		return nil, noMatch(j)
	}
	j.asks, j.trace = asks, s.carrier(ctx, p.Extra)
	if p.JID != "" {
		//mutant:one-job-per-jid
		defer s.locks.Lock(j.JID)()
		//mutant:other-job-is-refused
		if err := s.checkSameJob(ctx, j); err != nil {
			return nil, err
		}
		if j.grown != nil && len(asks) == 0 { // extended by a user who has the jid from this master
			j.fromAbove = false
		}
	}
	if err := s.Start(ctx, j); err != nil {
		s.o.Failing("job not started", err, "jid", j.JID)
		//mutant:publish-not-now
		return nil, notNow{err}
	}
	if !j.fromAbove { // the master where it started has audited it
		s.audit("publish", by, &p, calls, j, nil)
	}
	return j, nil
}

var (
	// ErrNoMatch is wrapped if no minion matches the target. The text is Salt's.
	ErrNoMatch = errors.New("Master could not resolve minions for target")
	// ErrNotNow is wrapped if no job can be started at the moment.
	ErrNotNow = errors.New("no job can be started now")
)

func noMatch(j *Job) error { return fmt.Errorf("%w %v", ErrNoMatch, j.tgt) }

// notNow marks an error as temporary.
type notNow struct{ error }

func (notNow) Is(target error) bool { return target == ErrNotNow }
func (e notNow) Unwrap() error      { return e.error }

// NotNow marks err as temporary: it then matches [ErrNotNow].
func NotNow(err error) error { return notNow{err} }

// admit parses a job and checks the access rules.
func (s *Service) admit(p wire.PublishLoad, by access.By, calls []access.Call) (*Job, access.Permit, error) {
	may, err := s.o.Access.Admit(p, by, calls)
	if err != nil {
		return nil, may, err
	}
	p.User = by.Name(p.User)
	j, err := s.Read(p, may.Trusted)
	if err != nil {
		return nil, may, err
	}
	//mutant:login-rules-of-jobs
	if err := j.judge(may.Judge(j.Audience, s.o.Tree.Node)); err != nil {
		return nil, may, err
	}
	j.rules = may.Rules
	if by.Login != nil {
		j.eauth = by.Login.Eauth
	}
	return j, may, nil
}

// start is a job being started. It is the Ref of the engine's publication.
type start struct {
	job  *Job
	spec engine.Job
	pub  wire.Publication

	turn chan turn // receives the engine's decision, once
}

// turn is the engine's decision about a stored job.
type turn struct {
	send  bool // false: published before
	early bool // count stored returns after sending
}

// Start stores and publishes a job. It blocks until the publication is sent, or the job turns out
// to be published already.
func (s *Service) Start(ctx context.Context, j *Job) error {
	x := &start{job: j, spec: s.spec(j), turn: make(chan turn, 1)}
	stored, err := s.contents(x)
	if err != nil {
		return err
	}
	s.o.Traces.Received(j.JID, s.o.Now())
	s.o.Traces.Traced(j.JID, j.trace)
	if err := s.room(ctx, j); err != nil {
		return fmt.Errorf("start job %s: %w", j.JID, err)
	}
	kept, err := s.o.Publications.Retain(x.pub, j.topics(s.o.Config.OrderMasters), j.until)
	if err != nil {
		return err
	}
	sent, err := s.run(ctx, x, stored, kept)
	if kept != nil && !sent {
		s.o.Publications.DropPart(j.partName())
	}
	return err
}

// contents returns the load to store and sets the publication. Both are those of the top that
// publishes the job.
func (s *Service) contents(x *start) (stored wire.Raw, err error) {
	if sh := x.job.shared; sh != nil {
		x.pub = sh.pub
		return sh.stored, nil
	}
	if stored, err = x.job.stored(s.mask()); err != nil {
		return nil, err
	}
	x.pub, err = s.publication(x.job)
	return stored, err
}

// spec returns the job for the engine.
func (s *Service) spec(j *Job) engine.Job {
	spec := engine.Job{
		JID: j.JID, Fun: j.fun, Minions: s.o.Peers.Minions(j.Answerers(), s.o.Peers.Awaits), Nodes: j.Nodes, Queue: !j.until.IsZero(),
		ByData: j.Expr.NeedsData(), Timeout: s.o.Config.Timeout, Named: countNamed(j.tgt, j.load.TgtType), Part: j.part(), Everyone: j.tgt == "*" && j.load.TgtType == "glob",
	}
	if j.grown != nil {
		spec.Named = len(j.grown.all)
	}
	for i, m := range spec.Minions {
		_, spec.Minions[i].Unsure = slices.BinarySearch(j.Unsure, m.ID)
		if _, silent := slices.BinarySearch(j.Silent(j.fun), m.ID); silent {
			spec.Minions[i].Silent = engine.ResourcesReturn
		}
	}
	if t, err := wire.Int(j.load.Timeout); err == nil && t > 0 {
		spec.Timeout = time.Duration(min(t, maxTimeout)) * time.Second
	}
	if !j.fromAbove || j.shared != nil {
		spec.Unclaimed = j.Missing
	}
	if j.shared != nil {
		spec.Minions, spec.StandBy = nil, min(standBy, spec.Timeout/3)
	}
	return spec
}

// run stores a job and sends it on the engine's decision. sent is false for a job published
// before, and on error.
func (s *Service) run(ctx context.Context, x *start, stored wire.Raw, kept []byte) (sent bool, err error) {
	if err := s.begin(ctx, x, stored, kept); err != nil {
		return false, err
	}
	select {
	case t := <-x.turn:
		if !t.send {
			s.o.Log.Info("duplicate publication ignored", "jid", x.job.JID, "user", x.job.user())
			return false, nil
		}
		s.share(ctx, x, stored)
		return true, s.send(ctx, x, t.early)
	case <-s.o.Ctx.Done():
		return false, fmt.Errorf("start job %s: the master is shutting down: %w", x.job.JID, s.o.Ctx.Err())
	}
}

// room blocks while the engine's queue is full. A known job adds no records, and its requester
// waits for the expectations.
func (s *Service) room(ctx context.Context, j *Job) error {
	//mutant:publish-known-jobs-need-no-room
	if j.fromAbove && j.grown == nil {
		if known, err := s.o.Accounts.Known(ctx, j.JID); known || err != nil {
			return err
		}
	}
	return s.o.Jobs.WaitRoom(ctx)
}

// begin passes a job to the engine and stores it if it is new.
func (s *Service) begin(ctx context.Context, x *start, stored wire.Raw, kept []byte) error {
	j := x.job
	p := engine.Publication{
		Spec: x.spec, Load: returners.Load{JID: j.JID, Raw: stored, User: j.user(), At: s.o.Now()}, Minions: j.answerersHere(), Early: j.fromAbove, Kept: kept, Asks: j.asks,
		Grows: j.grown != nil, Ref: x,
		Runs: func(id string) bool { return s.o.Peers.Runs(id, j.JID) },
	}
	if j.grown != nil {
		p.Load.More = j.grown.more
	}
	save, known, err := s.o.Jobs.Publish(ctx, p)
	for end := (engine.EndingError{}); errors.As(err, &end); {
		if err := s.o.Jobs.WaitStored(ctx, end.UpTo); err != nil {
			return err
		}
		save, known, err = s.o.Jobs.Publish(ctx, p)
	}
	if err != nil || known {
		return err
	}
	ctx, span := s.span(ctx, "salt.job.commit", j.JID)
	res, err := s.o.Store.Save(ctx, save.Batch)
	span.End(err)
	switch {
	case err != nil:
	case j.grown != nil:
		s.o.Files.Grown(j.JID)
	default:
		s.o.Files.Job(j.JID, stored, j.answerersHere())
	}
	s.o.Jobs.Saved(save, res, err)
	return err
}

// Publish carries out [engine.Publish]: [Service.Start] sends the job. It does not block.
func (s *Service) Publish(e engine.Publish) { decide(e.Ref, turn{send: true, early: e.Early}) }

// Skip carries out [engine.Skip]: the job was published before. It does not block.
func (s *Service) Skip(e engine.Skip) { decide(e.Ref, turn{}) }

// decide wakes the Start that waits for a decision. The engine decides once per publication.
func decide(ref any, t turn) {
	if x, ok := ref.(*start); ok {
		x.turn <- t
	}
}

// Started carries out [engine.Started]: it fires Salt's event of a new job, after the event of the
// expectation. It does not block.
func (s *Service) Started(e engine.Started) {
	x, ok := e.Ref.(*start)
	if !ok {
		return
	}
	j := x.job
	arg, err := s.mask().Arg(j.load.Fun, j.load.Arg)
	if err != nil { // validated by access.Calls
		s.o.Log.Error("all arguments masked", "jid", j.JID, "err", err)
		arg = nil
	}
	tag, data := jobevent.New{
		JID: j.JID, TgtType: j.load.TgtType, Tgt: j.tgt, User: j.user(), Fun: j.load.Fun, Arg: arg, Minions: j.answerersHere(), Missing: j.Missing,
	}.Encode()
	s.o.Fire(tag, data)
}
