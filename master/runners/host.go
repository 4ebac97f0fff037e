package runners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/returners"
)

// maxCalls limits the calls in progress.
const maxCalls = 64

// ErrBusy is returned when maxCalls calls are in progress.
var ErrBusy = errors.New("too many runners are running; try again later")

// CallsOptions configure [Calls].
type CallsOptions struct {
	Ctx      context.Context //nolint:containedctx // ends when the master begins to close
	ID       string          // of the master, in the job cache
	MaxEvent int             // bytes of an event's data: max_event_size
	Depth    int             // how deep a stored result may nest: bound depth
	Fire     func(tag string, data *wire.Map)
	// Store is the job cache. If it is nil, results are not kept.
	Store interface {
		SaveReturns(ctx context.Context, rets []returners.Return, loads ...returners.Load) ([]bool, error)
	}
	Keeping Keeping        // which calls go into the job cache
	Mask    secrets.Masker // for arguments in events and in the job cache
	Log     *slog.Logger
	Now     func() time.Time
}

// Calls holds the calls in progress and the results that were too large for the bus. It is safe for
// concurrent use. A [Host] starts calls.
type Calls struct {
	o       CallsOptions
	slots   admission.Turns
	wg      sync.WaitGroup
	results Results
	running sync.Map // *run by jid
}

// NewCalls returns Calls without one in progress.
func NewCalls(o CallsOptions) *Calls { return &Calls{o: o, slots: admission.NewTurns(maxCalls)} }

// Result returns the result of a call that was too large for the bus, once, to its owner; "" may
// fetch all.
func (c *Calls) Result(jid, owner string) (wire.Raw, bool) { return c.results.Take(jid, owner) }

// Running reports whether a call with that jid is in progress.
func (c *Calls) Running(jid string) bool {
	_, at := c.running.Load(jid)
	return at
}

// AtWork returns the calls in progress.
func (c *Calls) AtWork() (out []AtWork) {
	c.running.Range(func(_, v any) bool {
		r := v.(*run)
		out = append(out, AtWork{r.JID, r.call.Fun(), r.User, c.args(r)})
		return true
	})
	return out
}

// Close waits for the calls in progress, whose context is over.
func (c *Calls) Close() {
	c.wg.Wait()
	c.results.Clear()
}

// Host starts calls and fires their events.
type Host struct {
	*Calls
	env func(owner access.Owner) Env
}

// NewHost returns a Host that adds to calls. env returns the Env for functions that owner calls.
func NewHost(calls *Calls, env func(owner access.Owner) Env) *Host { return &Host{calls, env} }

// Start holds the parameters of a call besides its function and arguments.
type Start struct {
	JID  string
	User string // as shown in events and in the job cache
	// Eauth is the login service of User, or "" for a user of the machine.
	Eauth string
	// Owner is who may fetch a result that is too large for the bus: the owner of the key that the
	// call used. "" leaves it to those who may fetch all results.
	Owner string
	Keep  bool // nobody waits for the result: store it in the job cache
	// Discard keeps the result out of the job cache in any case.
	Discard bool
}

func (s Start) owner() access.Owner { return access.Owner{Eauth: s.Eauth, Name: s.User} }

// ErrPrivate is returned when a call would store a private result.
var ErrPrivate = errors.New("its result is private and not stored in the job cache; call it without async")

// Start runs a call in the background and returns the tag of the event that will carry its result.
// The error is [ErrBusy] or [ErrPrivate].
func (h *Host) Start(b Bound, s Start) (tag string, err error) {
	//mutant:runners-private-is-not-kept
	if s.Keep && registry.Private(b.Fun()) {
		return "", fmt.Errorf("%s: %w", b.Fun(), ErrPrivate)
	}
	if !h.slots.TryTake() {
		return "", ErrBusy
	}
	r := h.call(b, s)
	h.wg.Go(func() {
		defer h.slots.Give()
		_, _ = h.run(r) // the end of the call is an event on the bus
	})
	return r.tag(), nil
}

// Do runs a call and waits for its result until ctx ends. If ctx ends first, the call continues and
// its result still goes to the bus. The error is [ErrBusy], that of ctx, or that of the call.
func (h *Host) Do(ctx context.Context, b Bound, s Start) (any, error) {
	if !h.slots.TryTake() {
		return nil, ErrBusy
	}
	type end struct {
		v   any
		err error
	}
	done := make(chan end, 1)
	h.wg.Go(func() {
		defer h.slots.Give()
		v, err := h.run(h.call(b, s))
		done <- end{v, err}
	})
	select {
	case e := <-done:
		return e.v, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ErrNotRead is returned by [Host.Ask] for functions that are slow or change something.
var ErrNotRead = errors.New("not a short read-only function; call it as a runner")

// Ask runs a read-only call and waits for it. It fires no events and stores nothing in the job
// cache, because a page may poll it every two seconds. The error is [ErrNotRead], [ErrBusy] or that
// of the function, which may come with a value.
func (h *Host) Ask(b Bound, owner access.Owner) (any, error) {
	//mutant:api-queries-only-read
	if !registry.Reads(b.Fun()) {
		return nil, fmt.Errorf("%s: %w", b.Fun(), ErrNotRead)
	}
	if !h.slots.TryTake() {
		return nil, ErrBusy
	}
	defer h.slots.Give()
	return Run(h.o.Ctx, &Call{Bound: b, Env: h.env(owner)})
}

// run is one call in progress.
type run struct {
	Start
	call *Call
}

// call returns the call that a user asked for.
func (h *Host) call(b Bound, s Start) *run { return &run{s, &Call{Bound: b, Env: h.env(s.owner())}} }

func (r *run) tag() string { return "salt/run/" + r.JID }

// args returns the arguments as events show them: without secrets, and empty for a private
// function.
func (c *Calls) args(r *run) []any {
	//mutant:runners-private-arguments
	if registry.Private(r.call.Fun()) {
		return []any{}
	}
	args, _ := c.o.Mask.Args(r.call.Fun(), r.call.Shown())
	return args
}

// run runs the call and fires its events. If a failed call has a value, the event carries the value
// and the reason is in the field error.
func (c *Calls) run(r *run) (any, error) {
	data := func() *wire.Map {
		return wire.NewMap("fun", "runner."+r.call.Fun(), "jid", r.JID, "user", r.User, "fun_args", c.args(r))
	}
	r.call.JID = r.JID
	r.call.Report = func(kind string, d *wire.Map) { c.o.Fire(r.tag()+"/"+kind, d) }
	c.running.Store(r.JID, r)
	defer c.running.Delete(r.JID)
	begun := data()
	begun.Set("mom_eauth", r.Eauth)
	c.o.Fire(r.tag()+"/new", begun)
	at := c.o.Now()
	v, err := Run(withCall(c.o.Ctx, r.JID), r.call)
	ret := data()
	ret.Set("return", v)
	ret.Set("success", err == nil)
	switch {
	case err != nil && v == nil:
		ret.Set("return", err.Error())
	case err != nil:
		ret.Set("error", err.Error())
	}
	if c.o.Store != nil && c.keeps(r, c.o.Now().Sub(at)) {
		if err := c.keep(r, ret, err == nil); err != nil {
			c.o.Log.Error("runner result not stored", "jid", r.JID, "fun", r.call.Fun(), "err", err)
		}
	}
	private := registry.Private(r.call.Fun())
	if b, err := wire.Encode(ret); err == nil && (private || len(b) > c.o.MaxEvent) {
		c.results.Put(r.JID, r.Owner, b)
		ret.Set("held", true) // the client fetches it: the event itself is cut
	}
	//mutant:runners-private-results
	if private {
		ret.Set("return", nil)
		ret.Delete("error")
	}
	c.o.Fire(r.tag()+"/ret", ret)
	return v, err
}

// keepWait limits the time to store a result. The end of the master does not cancel it.
const keepWait = 30 * time.Second

// keep stores a call that nobody waits for in the job cache, as Salt stores runner calls: the
// minion is the id of this master, the return is the event.
func (c *Calls) keep(r *run, ret *wire.Map, ok bool) error {
	id, fun := c.o.ID, "runner."+r.call.Fun()
	ret = ret.Clone()
	ret.Set("_stamp", c.o.Now().UTC().Format("2006-01-02T15:04:05.000000"))
	value, err := wire.Encode(ret)
	if err != nil {
		return err
	}
	if err := wire.FitsDepth(value, c.o.Depth); err != nil { // a result may contain results of results
		return c.keep(r, wire.NewMap("fun", fun, "jid", r.JID, "user", r.User, "return", fmt.Sprintf("ERROR: the result cannot be kept: %v", err), "success", false), false)
	}
	retcode := 0
	if !ok {
		retcode = 1
	}
	full, err := wire.Encode(wire.NewMap("cmd", "_return", "id", id, "success", ok, "return", wire.Raw(value), "retcode", retcode,
		"jid", r.JID, "fun", fun, "fun_args", c.args(r)))
	if err != nil {
		return err
	}
	job := wire.NewMap("cmd", "publish", "tgt", []any{id}, "tgt_type", "list", "fun", fun, "arg", c.args(r),
		"jid", r.JID, "user", r.User, "ret", "", "minions", []any{id})
	r.owner().Record(job)
	load, err := wire.Encode(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepWait)
	defer cancel()
	_, err = c.o.Store.SaveReturns(ctx,
		[]returners.Return{{JID: r.JID, ID: id, Fun: fun, Success: ok, Retcode: retcode, Value: value, Full: full, At: c.o.Now()}},
		returners.Load{JID: r.JID, Raw: load, User: r.User, At: c.o.Now()})
	return err
}
