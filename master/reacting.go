package master

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/value"
)

// openReactor creates the reactor. The file server must be open.
func (m *Master) openReactor(caller func(ctx context.Context, fun string, args []any, kwargs *value.Map) error) error {
	engine, err := m.engines.New(files.Loader(m.files), m.env.Functions(reactor.User))
	if err != nil {
		return fmt.Errorf("reactor: %w", err)
	}
	o := reactor.Options{
		Table: m.reactors, Causes: m.causes, Threads: m.cfg.ReactorWorkerThreads, Waiting: m.cfg.ReactorWorkerHwm, Bytes: m.cfg.Bounds.ReactorBytes,
		Bus: m.bus, Engine: engine, Renderer: m.cfg.Renderer, Files: files.Loader(m.files), Vars: m.engines.Vars(), JID: m.jids.Next,
		Key: func(key string) bool { name, ok := m.access.User(key); return ok && name == m.access.Own },
		ID:  m.id, Log: m.log, Now: m.now,
		Leads: m.leader.Leads,
		Do:    reactor.Doers{Job: m.reactJob, Runner: m.reactRunner, Wheel: m.reactWheel},
	}
	if caller != nil {
		o.Do.Caller = func(ctx context.Context, c reactor.Call) error { return caller(ctx, c.Fun, c.Args, c.Kwargs) }
	}
	m.reactor = reactor.New(o)
	return nil
}

// reactJob publishes the job of a reaction as this master's user.
func (m *Master) reactJob(ctx context.Context, j reactor.Job) (minions []string, err error) {
	args := runners.Question{Args: j.Args, Kwargs: j.Kwargs}.Arguments()
	p := wire.PublishLoad{JID: j.JID, TgtType: cmp.Or(j.TgtType, "glob"), Ret: j.Ret, User: m.access.Own}
	for _, f := range []struct {
		to   *wire.Raw
		what string
		from any
	}{{&p.Tgt, "target", j.Tgt}, {&p.Fun, "function", j.Fun}, {&p.Arg, "arguments", args}, {&p.Timeout, "timeout", int64((j.Timeout + time.Second - 1) / time.Second)}} {
		if *f.to, err = wire.Encode(f.from); err != nil {
			return nil, fmt.Errorf("encode the %s: %w", f.what, err)
		}
	}
	load, err := p.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode job %s: %w", j.JID, err)
	}
	var job *publish.Job
	err = m.server.Inside(ctx, "publish", load, func(ctx context.Context) (err error) {
		job, err = m.publisher.PublishLoad(ctx, load, access.By{Owner: m.access.Own})
		return err
	})
	if err != nil {
		return nil, err
	}
	m.log.Info(fmt.Sprintf("User %s Published command %s with jid %s", m.access.Own, j.Fun, j.JID)) //nolint:sloglint // Salt's text
	return job.Minions, nil
}

// reactRunner runs the runner of a reaction and stores its result.
func (m *Master) reactRunner(ctx context.Context, c reactor.Call) error {
	call := runners.Bind(runners.Request{Fun: c.Fun, Args: c.Args, Kwargs: c.Kwargs})
	if c.Fields {
		if call = runners.BindFields(c.Fun, c.Kwargs, "name"); call.Fault() != nil {
			return call.Fault()
		}
	}
	_, err := m.runners.Do(ctx, call, runners.Start{JID: c.JID, User: reactor.User, Keep: !runners.Private(c.Fun)})
	return err
}

// reactWheel runs the wheel function of a reaction.
func (m *Master) reactWheel(ctx context.Context, c reactor.Call) error {
	s := wheels.Start{JID: c.JID, User: reactor.User, Call: wheels.Bind(wheels.Request{Fun: c.Fun, Args: c.Args, Kwargs: c.Kwargs})}
	if c.Fields {
		s.Call = wheels.BindFields(c.Fun, c.Kwargs, "name")
	}
	_, err := m.wheels.Do(ctx, s)
	return err
}
