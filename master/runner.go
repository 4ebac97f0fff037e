package master

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
)

// runner is the clear command of the same name: it answers at once with the
// tag under which the result will be on the bus (Salt wire reference §8.1).
func (m *Master) runner(load wire.Raw) any {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return refusal{"SaltInvocationError", "runner: " + err.Error()}.reply()
	}
	if id := d.String("result"); id != "" {
		b, ok := m.results.Take(id)
		if !ok {
			return refusal{"SaltRunnerError", fmt.Sprintf("the result of runner call %s is not held any more", id)}.reply()
		}
		return b
	}
	call, err := readCall(d)
	if err == nil {
		err = wire.FitFields(load, m.cfg.Bounds.Depth)
	}
	if err != nil {
		return refusal{"SaltInvocationError", err.Error()}.reply()
	}
	r := &run{call: call, jid: d.String("jid"), user: m.caller(d), keep: d.Bool("async")}
	switch {
	case r.jid == "":
		r.jid = m.jids.Next()
	case !jid.Valid(r.jid):
		return refusal{"SaltInvocationError", fmt.Sprintf("runner: jid %q is not a job id", r.jid)}.reply()
	}
	call.Env = runnerEnv{m, r.user}
	if !m.runnerSlots.TryTake() {
		return refusal{"SaltRunnerError", "too many runners are at work; try again later"}.reply()
	}
	m.wg.Go(func() {
		defer m.runnerSlots.Give()
		m.run(r)
	})
	return wire.NewMap("tag", r.tag(), "jid", r.jid)
}

// run is one call of a runner at work.
type run struct {
	call *runners.Call
	jid  string
	user string
	keep bool // nobody waits for the result: it goes into the job cache
}

func (r *run) tag() string { return "salt/run/" + r.jid }

// args are the arguments as events show them.
func (r *run) args() []any {
	args := append([]any{}, r.call.Args...)
	if r.call.Kwargs.Len() > 0 {
		kw := r.call.Kwargs.Clone()
		kw.Set("__kwarg__", true)
		args = append(args, kw)
	}
	return args
}

// run calls the runner and tells the bus. A failed call may have something to
// show as well: then the reason is in the field error.
func (m *Master) run(r *run) {
	data := func() *wire.Map {
		return wire.NewMap("fun", "runner."+r.call.Fun, "jid", r.jid, "user", r.user, "fun_args", r.args())
	}
	m.runs.Store(r.jid, true)
	defer m.runs.Delete(r.jid)
	m.fire(r.tag()+"/new", data())
	v, err := runners.Run(m.ctx, r.call)
	ret := data()
	ret.Set("return", v)
	ret.Set("success", err == nil)
	switch {
	case err != nil && v == nil:
		ret.Set("return", err.Error())
	case err != nil:
		ret.Set("error", err.Error())
	}
	if r.keep {
		if err := m.keepRun(r, ret, err == nil); err != nil {
			m.log.Error("The result of a runner could not be stored", "jid", r.jid, "fun", r.call.Fun, "err", err)
		}
	}
	if b, err := wire.Encode(ret); err == nil && len(b) > m.cfg.MaxEventSize {
		m.results.Put(r.jid, b)
		ret.Set("held", true) // to be fetched: the event itself is cut
	}
	m.fire(r.tag()+"/ret", ret)
}

// keepRun stores a call that was started without waiting, as Salt stores runner
// calls: under the id of this master, with the event as the result.
func (m *Master) keepRun(r *run, ret *wire.Map, ok bool) error {
	id, fun := m.id, "runner."+r.call.Fun
	if !strings.HasSuffix(id, "_master") {
		id += "_master"
	}
	ret = ret.Clone()
	ret.Set("_stamp", m.now().UTC().Format("2006-01-02T15:04:05.000000"))
	value, err := wire.Encode(ret)
	if err != nil {
		return err
	}
	if err := wire.FitsDepth(value, m.cfg.Bounds.Depth); err != nil { // a result that holds results of results
		return m.keepRun(r, wire.NewMap("fun", fun, "jid", r.jid, "user", r.user, "return", fmt.Sprintf("ERROR: the result cannot be kept: %v", err), "success", false), false)
	}
	retcode := 0
	if !ok {
		retcode = 1
	}
	full, err := wire.Encode(wire.NewMap("cmd", "_return", "id", id, "success", ok, "return", wire.Raw(value), "retcode", retcode,
		"jid", r.jid, "fun", fun, "fun_args", r.args()))
	if err != nil {
		return err
	}
	load, err := wire.Encode(wire.NewMap("cmd", "publish", "tgt", []any{id}, "tgt_type", "list", "fun", fun, "arg", r.args(),
		"jid", r.jid, "user", r.user, "ret", "", "minions", []any{id}))
	if err != nil {
		return err
	}
	ctx, cancel := storeContext()
	defer cancel()
	_, err = m.store.SaveReturns(ctx,
		[]returners.Return{{JID: r.jid, ID: id, Fun: fun, Success: ok, Retcode: retcode, Value: value, Full: full, At: m.now()}},
		returners.Load{JID: r.jid, Raw: load, User: r.user, At: m.now()})
	return err
}

// readCall takes fun and arguments out of a runner load: `kwarg` may hold the
// positional ones under `arg`.
func readCall(d *wire.Map) (*runners.Call, error) {
	call := &runners.Call{Fun: d.String("fun"), Kwargs: wire.NewMap()}
	call.Timeout = time.Duration(min(max(d.Float("timeout"), 0), 1e6) * float64(time.Second))
	if call.Fun == "" {
		return nil, errors.New("runner: fun is missing")
	}
	call.Args = append(call.Args, d.List("arg")...)
	if kw := d.Map("kwarg"); kw != nil {
		for _, k := range kw.Keys() {
			name, _ := k.(string)
			v, _ := kw.Get(name)
			switch {
			case name == "arg":
				l, _ := v.([]any)
				call.Args = append(call.Args, l...)
			case !strings.HasPrefix(name, "__"):
				call.Kwargs.Set(name, v)
			}
		}
	}
	return call, nil
}

// caller is who a runner or wheel call says it comes from, or else the owner of
// the key.
func (m *Master) caller(d *wire.Map) string {
	if user := d.String("user"); user != "" {
		return user
	}
	return m.user()
}

// user is the login the master runs as, which jobs of its own carry.
func (m *Master) user() string {
	if m.cfg.User != "" {
		return m.cfg.User
	}
	if u := os.Getenv("USER"); u != "" {
		return u
	}
	return "root"
}
