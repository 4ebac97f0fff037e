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

// maxTimeout bounds a job's timeout, in seconds.
const maxTimeout = 365 * 24 * 3600

func init() {
	commands.Register(server.Command{
		Name: "publish", Who: server.User, Logins: true,
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

The answer has the jid and the minions of the whole tree that have to answer, which nodes
below name within a second; pending are the paths of nodes that have not.
`,
	}, func(s *Service) server.Handler { return s.publish })
}

// publish is the clear command of the same name: the start of every job (Salt wire
// reference §10).
func (s *Service) publish(ctx context.Context, r *server.Request) (any, error) {
	j, err := s.Give(ctx, r.Load, access.ByOf(r))
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

// Give starts the job of a load. It is published when no
// error comes back; one that is neither [ErrNoMatch] nor [ErrNotNow] is a
// [server.Refusal]. asks are notes of who asks for it.
func (s *Service) Give(ctx context.Context, load wire.Raw, by access.By, asks ...returners.Note) (*Job, error) {
	j, p, calls, err := s.taken(ctx, load, by)
	if err != nil {
		return nil, err
	}
	if j.Nobody() && !s.o.Config.OrderMasters {
		return nil, nobody(j)
	}
	j.asks, j.trace = asks, s.carrier(ctx, p.Extra)
	if p.JID != "" {
		//mutant:one-job-per-jid
		defer s.oneByOne.Lock(j.JID)()
		//mutant:other-job-is-refused
		if err := s.sameJob(ctx, j); err != nil {
			return nil, err
		}
		if j.grown != nil && len(asks) == 0 { // a user extends it here, who has its job id from this master
			j.fromAbove = false
		}
	}
	if err := s.Start(ctx, j); err != nil {
		s.o.Failing("A job could not be started", err, "jid", j.JID)
		//mutant:publish-not-now
		return nil, notNow{err}
	}
	if !j.fromAbove { // the master where it started has told of it
		s.audit("publish", by, &p, calls, j, nil)
	}
	return j, nil
}

var (
	// ErrNoMatch is wrapped when a target means nobody. The words are Salt's.
	ErrNoMatch = errors.New("Master could not resolve minions for target")
	// ErrNotNow is wrapped when no job can be started just now, whatever it is.
	ErrNotNow = errors.New("no job can be started now")
)

func nobody(j *Job) error { return fmt.Errorf("%w %v", ErrNoMatch, j.tgt) }

// notNow is why.
type notNow struct{ error }

func (notNow) Is(target error) bool { return target == ErrNotNow }
func (e notNow) Unwrap() error      { return e.error }

// NotNow makes an error of a job that cannot be started just now.
func NotNow(err error) error { return notNow{err} }

// admit reads a job, if the sender may start it.
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
	if err := j.judge(may.Judge(j.Audience, s.o.Below)); err != nil {
		return nil, may, err
	}
	j.rules = may.Rules
	if by.Login != nil {
		j.eauth = by.Login.Eauth
	}
	return j, may, nil
}

// start is a job on its way from the command to the subscribers. It is the Ref of the
// engine's publication.
type start struct {
	job  *Job
	spec engine.Job
	pub  wire.Publication

	turn chan turn // one: what the engine has decided
}

// turn says whether a stored job is to be sent to the subscribers.
type turn struct {
	send  bool // false: it was published before
	early bool // its returns that are here already have to be counted once it is sent
}

// Start hands a job to the engine and publishes it when it is stored. It returns after the
// publication was sent, or the job turned out to have been published before.
func (s *Service) Start(ctx context.Context, j *Job) error {
	x := &start{job: j, spec: s.spec(j), turn: make(chan turn, 1)}
	stored, err := j.stored(s.mask())
	if err != nil {
		return err
	}
	s.o.Traces.Received(j.JID, s.o.Now())
	s.o.Traces.Traced(j.JID, j.trace)
	if x.pub, err = s.publication(j); err != nil {
		return err
	}
	if err := s.room(ctx, j); err != nil {
		return fmt.Errorf("start job %s: %w", j.JID, err)
	}
	kept, err := s.o.Publications.Retain(x.pub, j.topics(s.o.Config.OrderMasters), j.until)
	if err != nil {
		return err
	}
	sent, err := s.run(ctx, x, stored, kept)
	if kept != nil && !sent {
		s.o.Publications.DropPart(j.name())
	}
	return err
}

// spec describes a job to the engine: who has to answer it, and for how long it waits.
func (s *Service) spec(j *Job) engine.Job {
	spec := engine.Job{
		JID: j.JID, Fun: j.fun, Minions: s.o.Peers.Minions(j.Answerers(), s.o.Peers.Awaits), Nodes: j.Nodes, Queue: !j.until.IsZero(),
		ByData: j.Expr.NeedsData(), Timeout: s.o.Config.Timeout, Named: count(j.tgt, j.load.TgtType), Part: j.part(), Everyone: j.tgt == "*" && j.load.TgtType == "glob",
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
	if !j.fromAbove {
		spec.Unclaimed = j.Missing
	}
	return spec
}

// run stores a job and sends it when its turn comes. sent is false for one that was published
// before, and with an error.
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
		return true, s.send(ctx, x, t.early)
	case <-s.o.Ctx.Done():
		return false, fmt.Errorf("start job %s: the master ends: %w", x.job.JID, s.o.Ctx.Err())
	}
}

// room waits while too many words of jobs wait for the disk. A job that runs here already brings
// none: whoever asks for it second waits to hear who has to answer it.
func (s *Service) room(ctx context.Context, j *Job) error {
	//mutant:publish-known-jobs-need-no-room
	if j.fromAbove && j.grown == nil {
		if known, err := s.o.Jobs.Known(ctx, j.JID); known || err != nil {
			return err
		}
	}
	return s.o.Room(ctx)
}

// begin gives a job to the engine, and stores it if it is new here.
func (s *Service) begin(ctx context.Context, x *start, stored wire.Raw, kept []byte) error {
	j := x.job
	p := engine.Publication{
		Spec: x.spec, Load: returners.Load{JID: j.JID, Raw: stored, User: j.user(), At: s.o.Now()}, Minions: j.Answerers(), Early: j.fromAbove, Kept: kept, Asks: j.asks,
		Grows: j.grown != nil, Ref: x,
	}
	if j.grown != nil {
		p.Load.More = j.grown.more
	}
	save, known, err := s.o.Jobs.Publish(ctx, p)
	for end := (engine.EndingError{}); errors.As(err, &end); {
		if err := s.o.Booked(ctx, end.UpTo); err != nil {
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
		s.o.ShowGrown(j.JID)
	default:
		s.o.Show(j.JID, stored, j.Answerers())
	}
	s.o.Jobs.Saved(save, res, err)
	return err
}

// Publish carries out an effect of the engine: the job is sent by whoever waits in
// [Service.Start]. It does not block.
func (s *Service) Publish(e engine.Publish) { decide(e.Ref, turn{send: true, early: e.Early}) }

// Skip carries out an effect of the engine: the job was published before. It does not block.
func (s *Service) Skip(e engine.Skip) { decide(e.Ref, turn{}) }

// decide wakes the start that an effect belongs to. The engine decides once for each.
func decide(ref any, t turn) {
	if x, ok := ref.(*start); ok {
		x.turn <- t
	}
}

// Started carries out an effect of the engine: it fires Salt's event of a new job. The event
// of who has to answer has gone before. It does not block.
func (s *Service) Started(e engine.Started) {
	x, ok := e.Ref.(*start)
	if !ok {
		return
	}
	j := x.job
	arg, err := s.mask().Arg(j.load.Fun, j.load.Arg)
	if err != nil { // access.Calls has read it
		s.o.Log.Error("all arguments masked", "jid", j.JID, "err", err)
		arg = nil
	}
	tag, data := jobevent.New{
		JID: j.JID, TgtType: j.load.TgtType, Tgt: j.tgt, User: j.user(), Fun: j.load.Fun, Arg: arg, Minions: j.Answerers(), Missing: j.Missing,
	}.Encode()
	s.o.Fire(tag, data)
}
