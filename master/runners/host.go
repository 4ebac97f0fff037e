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

// maxCalls bounds the calls at work at once.
const maxCalls = 64

// ErrBusy says that as many calls are at work as may be.
var ErrBusy = errors.New("too many runners are at work; try again later")

// HostOptions are what a [Host] works with.
type HostOptions struct {
	Ctx      context.Context //nolint:containedctx // ends when the master begins to close
	ID       string          // of the master, in the job cache
	MaxEvent int             // bytes of an event's data: max_event_size
	Depth    int             // how deep a stored result may nest: bound depth
	// Env is what the functions that a user calls may ask.
	Env  func(owner access.Owner) Env
	Fire func(tag string, data *wire.Map)
	// Store has the job cache; nil: nothing is kept.
	Store interface {
		SaveReturns(ctx context.Context, rets []returners.Return, loads ...returners.Load) ([]bool, error)
	}
	Keeping Keeping        // which calls go into the job cache
	Mask    secrets.Masker // of the arguments that events and the job cache show
	Log     *slog.Logger
	Now     func() time.Time
}

// Host has calls at work in a master, and tells the bus of them.
type Host struct {
	HostOptions
	slots   admission.Turns
	wg      sync.WaitGroup
	results Results
	running sync.Map // *run by jid
}

// NewHost has none at work.
func NewHost(o HostOptions) *Host { return &Host{HostOptions: o, slots: admission.NewTurns(maxCalls)} }

// Start is how a call is started.
type Start struct {
	JID  string
	User string // whom events and the job cache name
	// Eauth is the login service that knows the user; "" for a user of the machine.
	Eauth string
	// Owner may fetch the result if it is too large for the bus: whose key the call
	// came with. "" is nobody but who may fetch all.
	Owner string
	Keep  bool // nobody waits for the result: it goes into the job cache
	// Discard keeps the result out of the job cache, whatever the call is.
	Discard bool
}

func (s Start) owner() access.Owner { return access.Owner{Eauth: s.Eauth, Name: s.User} }

// ErrPrivate refuses to keep what is for its caller alone.
var ErrPrivate = errors.New("its result is for its caller alone, and is not kept in the job cache: call it without async")

// Start has a call run and gives the tag under which its result will be on the bus. The
// error is [ErrBusy] or [ErrPrivate].
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
		_, _ = h.run(r) // the bus tells how it ends
	})
	return r.tag(), nil
}

// Do has a call run, and waits for what it gives until ctx ends: then the call goes on, and
// the bus is told how it ends. The error is [ErrBusy], ctx's, or that of the call.
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

// ErrNotRead refuses to ask for more than is to be seen without a trace on the bus.
var ErrNotRead = errors.New("it is no function that only reads and is soon done: call it as a runner")

// Ask runs a call for somebody who waits for it right here, of which neither the bus nor the
// job cache is told: what a page asks every two seconds is nobody's news. The error is
// [ErrNotRead], [ErrBusy] or that of the function, which may have given a value as well.
func (h *Host) Ask(b Bound, owner access.Owner) (any, error) {
	//mutant:api-queries-only-read
	if !registry.Reads(b.Fun()) {
		return nil, fmt.Errorf("%s: %w", b.Fun(), ErrNotRead)
	}
	if !h.slots.TryTake() {
		return nil, ErrBusy
	}
	defer h.slots.Give()
	return Run(h.Ctx, &Call{Bound: b, Env: h.Env(owner)})
}

// Result gives the result of a call that was too large for the bus, once, to its owner;
// "" may fetch all.
func (h *Host) Result(jid, owner string) (wire.Raw, bool) { return h.results.Take(jid, owner) }

// Running tells whether a call has that jid.
func (h *Host) Running(jid string) bool {
	_, at := h.running.Load(jid)
	return at
}

// AtWork gives the calls at work.
func (h *Host) AtWork() (out []AtWork) {
	h.running.Range(func(_, v any) bool {
		r := v.(*run)
		out = append(out, AtWork{r.JID, r.call.Fun(), r.User, h.args(r)})
		return true
	})
	return out
}

// Close waits for the calls at work, whose context is over.
func (h *Host) Close() {
	h.wg.Wait()
	h.results.Clear()
}

// run is one call at work.
type run struct {
	Start
	call *Call
}

// call makes the call of a user.
func (h *Host) call(b Bound, s Start) *run { return &run{s, &Call{Bound: b, Env: h.Env(s.owner())}} }

func (r *run) tag() string { return "salt/run/" + r.JID }

// args are the arguments as events show them: without secrets, and of a private function none.
func (h *Host) args(r *run) []any {
	//mutant:runners-private-arguments
	if registry.Private(r.call.Fun()) {
		return []any{}
	}
	args, _ := h.Mask.Args(r.call.Fun(), r.call.Shown())
	return args
}

// run calls the runner and tells the bus. A failed call may have something to
// show as well: then the reason is in the field error.
func (h *Host) run(r *run) (any, error) {
	data := func() *wire.Map {
		return wire.NewMap("fun", "runner."+r.call.Fun(), "jid", r.JID, "user", r.User, "fun_args", h.args(r))
	}
	r.call.JID = r.JID
	r.call.Tell = func(what string, told *wire.Map) { h.Fire(r.tag()+"/"+what, told) }
	h.running.Store(r.JID, r)
	defer h.running.Delete(r.JID)
	begun := data()
	begun.Set("mom_eauth", r.Eauth)
	h.Fire(r.tag()+"/new", begun)
	at := h.Now()
	v, err := Run(withCall(h.Ctx, r.JID), r.call)
	ret := data()
	ret.Set("return", v)
	ret.Set("success", err == nil)
	switch {
	case err != nil && v == nil:
		ret.Set("return", err.Error())
	case err != nil:
		ret.Set("error", err.Error())
	}
	if h.Store != nil && h.keeps(r, h.Now().Sub(at)) {
		if err := h.keep(r, ret, err == nil); err != nil {
			h.Log.Error("runner result not stored", "jid", r.JID, "fun", r.call.Fun(), "err", err)
		}
	}
	private := registry.Private(r.call.Fun())
	if b, err := wire.Encode(ret); err == nil && (private || len(b) > h.MaxEvent) {
		h.results.Put(r.JID, r.Owner, b)
		ret.Set("held", true) // to be fetched: the event itself is cut
	}
	//mutant:runners-private-results
	if private {
		ret.Set("return", nil)
		ret.Delete("error")
	}
	h.Fire(r.tag()+"/ret", ret)
	return v, err
}

// keepWait bounds the write of a result, which is not given up because the master ends.
const keepWait = 30 * time.Second

// keep stores a call that was started without waiting, as Salt stores runner
// calls: under the id of this master, with the event as the result.
func (h *Host) keep(r *run, ret *wire.Map, ok bool) error {
	id, fun := h.ID, "runner."+r.call.Fun()
	ret = ret.Clone()
	ret.Set("_stamp", h.Now().UTC().Format("2006-01-02T15:04:05.000000"))
	value, err := wire.Encode(ret)
	if err != nil {
		return err
	}
	if err := wire.FitsDepth(value, h.Depth); err != nil { // a result that holds results of results
		return h.keep(r, wire.NewMap("fun", fun, "jid", r.JID, "user", r.User, "return", fmt.Sprintf("ERROR: the result cannot be kept: %v", err), "success", false), false)
	}
	retcode := 0
	if !ok {
		retcode = 1
	}
	full, err := wire.Encode(wire.NewMap("cmd", "_return", "id", id, "success", ok, "return", wire.Raw(value), "retcode", retcode,
		"jid", r.JID, "fun", fun, "fun_args", h.args(r)))
	if err != nil {
		return err
	}
	job := wire.NewMap("cmd", "publish", "tgt", []any{id}, "tgt_type", "list", "fun", fun, "arg", h.args(r),
		"jid", r.JID, "user", r.User, "ret", "", "minions", []any{id})
	r.owner().Record(job)
	load, err := wire.Encode(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepWait)
	defer cancel()
	_, err = h.Store.SaveReturns(ctx,
		[]returners.Return{{JID: r.JID, ID: id, Fun: fun, Success: ok, Retcode: retcode, Value: value, Full: full, At: h.Now()}},
		returners.Load{JID: r.JID, Raw: load, User: r.User, At: h.Now()})
	return err
}
