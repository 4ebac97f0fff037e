package master

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/server"
)

// openBatches creates the service that runs batches without a waiting command.
func (m *Master) openBatches() {
	m.batches = batches.New(batches.Options{
		Ctx: m.ctx, Cachedir: m.cfg.Cachedir, HashType: m.cfg.HashType, Keep: m.jobFiles != nil, Bus: m.bus, Me: m.instanceName(),
		Publish: m.publishSlice, Kill: m.killJob, Published: m.listedByJob, Returned: m.returnCode, Account: m.batchAccount,
		Fire: m.fire, Log: m.log, Now: m.now,
	})
	m.retained.Add(m.batches.Active)
}

// instanceName identifies this master among others that share its cachedir.
func (m *Master) instanceName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s on %s, %s", m.cfg.ID, host, m.cfg.SockDir)
}

// publishSlice publishes one slice of a batch as the user who started it.
func (m *Master) publishSlice(ctx context.Context, st *batchstate.State, ids []string) (string, error) {
	by, err := m.startedBy(ctx, st)
	if err != nil {
		return "", err
	}
	load, err := sliceLoad(st, ids)
	if err != nil {
		return "", fmt.Errorf("encode slice of batch %s: %w", st.JID, err)
	}
	var j *publish.Job
	give := func(ctx context.Context) (err error) {
		j, err = m.publisher.PublishLoad(ctx, load, by)
		return err
	}
	if st.JID == "" { // inside a request already
		err = give(ctx)
	} else {
		err = m.server.Inside(ctx, "publish", load, give)
	}
	switch {
	case err == nil:
		m.log.Info(fmt.Sprintf("User %s Published command %s with jid %s", st.User, wire.FunName(st.Fun), j.JID)) //nolint:sloglint // Salt's text
		return j.JID, nil
	case errors.Is(err, publish.ErrNoMatch):
		return "", fmt.Errorf("%w: %w", batches.ErrNobody, err)
	case errors.Is(err, publish.ErrNotNow), errors.Is(err, server.ErrNotStored), errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("%w: %w", batches.ErrNotNow, err)
	}
	return "", err
}

// startedBy returns the user of a batch. A batch handed over by Salt's command belongs to the user
// of its job, whose first slice was allowed.
func (m *Master) startedBy(ctx context.Context, st *batchstate.State) (access.By, error) {
	if st.By.Owner != "" {
		by := access.By{Owner: st.By.Owner}
		if st.By.Eauth != "" {
			by.Login = &server.Login{Name: st.User, Eauth: st.By.Eauth, By: "eauth", Rules: st.By.Rules}
		}
		return by, nil
	}
	by := access.By{Owner: m.access.Own}
	load, ok, err := m.store.Local().GetLoad(ctx, st.JID)
	if err != nil {
		return by, fmt.Errorf("%w: %w", batches.ErrNotNow, err)
	}
	if !ok {
		return by, fmt.Errorf("unknown job %s: its first slice was not published at this master", st.JID)
	}
	if o := access.OwnerOf(load); o.Eauth != "" {
		by.Login = &server.Login{Name: o.Name, Eauth: o.Eauth, By: "eauth", Rules: m.access.External.Rules(o.Eauth, o.Name, nil)}
	}
	return by, nil
}

// sliceLoad returns the publish load of a slice.
func sliceLoad(st *batchstate.State, ids []string) (wire.Raw, error) {
	p := wire.PublishLoad{JID: st.JID, TgtType: "list", Fun: st.Fun, Arg: st.Arg, Ret: st.Ret, User: st.User, Kwargs: st.By.Extra}
	var err error
	if p.Tgt, err = wire.Encode(ids); err != nil {
		return nil, fmt.Errorf("encode the target: %w", err)
	}
	if st.Timeout > 0 {
		if p.Timeout, err = wire.Encode(int64(min(st.Timeout, 1e9))); err != nil {
			return nil, fmt.Errorf("encode the timeout: %w", err)
		}
	}
	if p.Arg, err = withKwargs(st.Arg, st.Kwargs); err != nil {
		return nil, fmt.Errorf("encode the arguments: %w", err)
	}
	return p.Encode()
}

// withKwargs appends keyword arguments to positional ones, as Salt sends them.
func withKwargs(arg, kwargs wire.Raw) (wire.Raw, error) {
	if wire.Count(kwargs) == 0 {
		return arg, nil
	}
	kw, err := wire.DecodeMap(kwargs)
	if err != nil {
		return nil, err
	}
	var args []any
	if len(arg) > 0 {
		v, err := wire.Decode(arg)
		if err != nil {
			return nil, err
		}
		args, _ = v.([]any)
	}
	kw.Set("__kwarg__", true)
	return wire.Encode(append(slices.Clone(args), kw))
}

// killJob sends saltutil.kill_job to minions.
func (m *Master) killJob(ctx context.Context, jid string, ids []string) error {
	p := wire.PublishLoad{TgtType: "list", User: m.access.Own}
	for _, f := range []struct {
		to   *wire.Raw
		from any
	}{{&p.Tgt, ids}, {&p.Fun, "saltutil.kill_job"}, {&p.Arg, []any{jid}}} {
		var err error
		if *f.to, err = wire.Encode(f.from); err != nil {
			return fmt.Errorf("encode saltutil.kill_job: %w", err)
		}
	}
	load, err := p.Encode()
	if err != nil {
		return fmt.Errorf("encode saltutil.kill_job: %w", err)
	}
	_, err = m.publisher.PublishLoad(ctx, load, access.By{Owner: m.access.Own})
	return err
}

// listedByJob returns the minions in the list target of a stored job.
func (m *Master) listedByJob(ctx context.Context, jid string) ([]string, error) {
	load, ok, err := m.store.Local().GetLoad(ctx, jid)
	if err != nil || !ok {
		return nil, err
	}
	d, err := wire.DecodeMap(load.Raw)
	if err != nil {
		return nil, fmt.Errorf("load of job %s: %w", jid, err)
	}
	tgt, _ := d.Get("tgt")
	return ownership.Listed(tgt), nil
}

func (m *Master) returnCode(ctx context.Context, jid, id string) (code int, ok bool, err error) {
	r, ok, err := m.store.Local().GetReturn(ctx, jid, id)
	if !ok || err != nil {
		return 0, false, err
	}
	return r.Retcode, true, nil
}

// batchAccount returns the missing minions of a job and whether it is open. A job marked as open
// may not be restored yet.
func (m *Master) batchAccount(jid string) (gone map[string]jobevent.Absence, open bool) {
	a, known := m.jobs.State(jid)
	if !known {
		return nil, slices.Contains(m.jobs.Open(), jid)
	}
	return a.Missing, a.Open()
}
