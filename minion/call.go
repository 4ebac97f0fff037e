package minion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/salt/modules"
)

// CallOptions are the options of a `salt-call`.
type CallOptions struct {
	// Config are the minion's options, with those of the command line.
	Config *config.Minion
	// Version is sent to masters in announcements.
	Version string
	// Local contacts no master: the pillar is compiled here and no return is sent.
	Local bool
	// Fun is the function; Args are its arguments as in a publication: parsed values, keywords
	// in maps with __kwarg__.
	Fun  string
	Args []any
	// Indirect runs the function as if another function called it: cmd functions use no shell
	// by default.
	Indirect bool
	// Metadata is stored with the job (--set-metadata); nil omits it.
	Metadata any
	// Returners are the names in --return.
	Returners []string
	// NoReturnEvent does not send the result to the master.
	NoReturnEvent bool
	// SkipGrains runs with the id as the only grain.
	SkipGrains bool
	// Pillars compiles the pillar of a call without a master; if nil, its pillar is empty.
	Pillars Pillars
	Log     *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// CallResult is the result of a call.
type CallResult struct {
	JID, ID, Fun string
	FunArgs      []any
	Return       any
	Retcode      int
	Success      bool
	Out          string // outputter; "" lets the caller choose
	// Err is the cause if Return is the text of an error. It wraps [modules.ErrNotAvailable]
	// for an unknown function.
	Err error
	// Docs reports that the function does not exist and Return has the documentation of
	// functions with that prefix.
	Docs bool
	// ReturnErr is the reason why the result did not reach the master or a returner. The
	// function has run nevertheless.
	ReturnErr error
}

// Call runs one function in this process like `salt-call`. With a master, it signs in, fetches
// the pillar, runs the function, and returns the result under a jid that the master makes. An
// error means that the function did not run.
func Call(ctx context.Context, o CallOptions) (CallResult, error) {
	opts := Options{Config: o.Config, Version: o.Version, Log: o.Log, Now: o.Now}
	if o.SkipGrains && o.Config != nil {
		opts.Collect = func(context.Context) *wire.Map { return wire.NewMap("id", o.Config.ID) }
	}
	m, err := prepare(opts)
	if err != nil {
		return CallResult{}, err
	}
	defer func() { _ = m.Close() }()
	m.grains.Refresh(ctx)

	var s *session.Session
	if o.Local || m.cfg.Masterless() {
		m.pillars = o.Pillars
		if err := m.compilePillar(ctx); err != nil {
			return CallResult{}, err
		}
	} else {
		if s, err = m.masters.Connect(ctx); err != nil {
			return CallResult{}, err
		}
		defer func() { _ = s.Channel().Close() }()
	}
	stores, err := m.jobs.Returners.Open(ctx, o.Returners, "")
	if err == nil {
		defer stores.Close()
	}

	res := m.call(ctx, s, o)
	res.ReturnErr = err
	if res.Docs || errors.Is(res.Err, modules.ErrNotAvailable) {
		return res, nil // nothing ran, so no return is sent, as in Salt
	}
	full, err := encodeCall(res, o.Metadata)
	if err == nil {
		res.ReturnErr = errors.Join(res.ReturnErr, m.deliverCall(ctx, s, o, res, full, stores))
	} else {
		res.ReturnErr = errors.Join(res.ReturnErr, err)
	}
	return res, nil
}

// call runs the function, visible to other processes as a job.
func (m *Minion) call(ctx context.Context, s *session.Session, o CallOptions) CallResult {
	res := CallResult{JID: jid.New(m.now()), ID: m.cfg.ID, Fun: o.Fun, FunArgs: o.Args}
	load := wire.NewMap("fun", o.Fun, "jid", res.JID, "tgt", "salt-call", "arg", o.Args)
	jobCtx, end, err := m.jobs.Begin(ctx, res.JID, "", load)
	if err != nil { // cannot happen: a new table is empty
		res.Return, res.Retcode, res.Out, res.Err = err.Error(), 1, "nested", err
		return res
	}
	defer end()
	e := &env{core: m.core, s: s}
	r := modules.Execute(jobCtx, e, modules.Invocation{Fun: o.Fun, Args: o.Args, JID: res.JID, Direct: !o.Indirect})
	res.Return, res.Retcode, res.Success, res.Out, res.Err = r.Value, r.Retcode, r.Success, r.Out, r.Err
	if errors.Is(r.Err, modules.ErrNotAvailable) {
		if docs := docsOf(jobCtx, e, o.Fun); docs.Len() > 0 {
			docs.Set(o.Fun, r.Value)
			res.Return, res.Out, res.Err, res.Docs = docs, "nested", nil, true
		}
	}
	return res
}

// docsOf returns the documentation of the functions whose names begin with word. `salt-call`
// shows it for a function that does not exist.
func docsOf(ctx context.Context, e *env, word string) *wire.Map {
	r := modules.Execute(ctx, e, modules.Invocation{Fun: "sys.doc", Args: []any{word + "*"}})
	docs, ok := r.Value.(*wire.Map)
	if !ok || r.Err != nil {
		return wire.NewMap()
	}
	return docs
}

// encodeCall encodes the `_return` load of a call: jid `req` makes the master choose one (Salt
// wire reference §9.1).
func encodeCall(res CallResult, metadata any) (wire.Raw, error) {
	load := wire.NewMap("cmd", "_return", "id", res.ID, "jid", "req",
		"return", res.Return, "retcode", res.Retcode, "success", res.Success)
	if res.Out != "" {
		load.Set("out", res.Out)
	}
	load.Set("fun", res.Fun)
	load.Set("fun_args", orNoArgs(res.FunArgs))
	load.Set("tgt", res.ID)
	load.Set("tgt_type", "glob")
	if metadata != nil {
		load.Set("metadata", metadata)
	}
	full, err := wire.Encode(load)
	if err != nil {
		return nil, fmt.Errorf("the result cannot be returned: %w", err)
	}
	return full, nil
}

func orNoArgs(args []any) []any {
	if args == nil {
		return []any{}
	}
	return args
}

// deliverCall sends the result to the returners and the master.
func (m *Minion) deliverCall(ctx context.Context, s *session.Session, o CallOptions, res CallResult, full wire.Raw, stores delivery.Opened) error {
	var errs []error
	if value, err := wire.Encode(res.Return); err == nil {
		ret := returners.Return{
			JID: res.JID, ID: res.ID, Fun: res.Fun, Success: res.Success, Retcode: res.Retcode,
			Out: res.Out, Value: value, Full: full, At: m.now(),
		}
		errs = append(errs, stores.SaveReturn(ctx, ret))
	}
	if m.cfg.CacheJobs {
		errs = append(errs, m.jobs.Cache.Put(res.JID, full))
	}
	if s != nil && !o.NoReturnEvent && m.cfg.PubRet {
		errs = append(errs, delivery.Send(ctx, s.Channel(), full))
	}
	return errors.Join(errs...)
}
