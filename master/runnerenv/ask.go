package runnerenv

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/runners"
)

// Ask publishes a job as a client would and waits for its account to close.
func (e Env) Ask(ctx context.Context, q runners.Question) (runners.Answers, error) {
	p := e.p
	load := wire.PublishLoad{TgtType: q.TgtType, Ret: q.Ret, User: e.owner.Name}
	var err error
	if load.Tgt, err = wire.Encode(q.Tgt); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the target: %w", err)
	}
	if load.Fun, err = wire.Encode(q.Fun); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the function: %w", err)
	}
	if load.Arg, err = wire.Encode(q.Arguments()); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the arguments: %w", err)
	}
	if q.RetConfig != "" || q.RetKwargs.Len() > 0 {
		extra := wire.NewMap()
		if q.RetConfig != "" {
			extra.Set("ret_config", q.RetConfig)
		}
		if q.RetKwargs.Len() > 0 {
			extra.Set("ret_kwargs", q.RetKwargs)
		}
		if load.Kwargs, err = wire.Encode(extra); err != nil {
			return runners.Answers{}, fmt.Errorf("encode the options of returners: %w", err)
		}
	}
	// Salt counts whole seconds.
	if load.Timeout, err = wire.Encode(int64((q.Timeout + time.Second - 1) / time.Second)); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the timeout: %w", err)
	}
	j, err := p.Publisher.Read(load, true)
	if err != nil || j.Nobody() {
		return runners.Answers{}, err
	}
	j.SetOwner(e.owner)
	end := jobevent.TagComplete(j.JID)
	sub := p.Bus.Subscribe(bus.SubscribeOptions{Prefix: end, Size: 4})
	defer sub.Close()
	defer p.Store.KeepResults(j.JID)()
	p.Causes.Begin(j.JID, runners.CallOf(ctx))
	if err := p.Publisher.Start(ctx, j); err != nil {
		return runners.Answers{}, err
	}
	p.Causes.Began(j.JID, j.Minions)
	wait := ctx
	if !q.Long {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, q.Timeout+q.Gather)
		defer cancel()
	}
	select {
	case <-sub.C():
	case <-wait.Done():
	}
	if err := p.Ctx.Err(); q.Long && err != nil {
		return runners.Answers{}, fmt.Errorf("job %s continues, but the master is shutting down: %w", j.JID, err)
	}
	return e.answersOf(ctx, j.JID)
}

// answersOf returns the current answers of a job; pending minions count as missing. Results that
// arrived as digests are fetched from the nodes that have them.
func (e Env) answersOf(ctx context.Context, jid string) (runners.Answers, error) {
	p := e.p
	account, _ := p.Jobs.State(jid)
	whole := below.Whole{Reader: p.Store.Local(), Below: p.Below}
	if configured := p.Store.Reader(ctx); configured != whole.Reader {
		whole.SQL = configured
	}
	rets, err := whole.GetReturns(ctx, jid)
	if err != nil {
		return runners.Answers{}, fmt.Errorf("read the answers: %w", err)
	}
	a := runners.Answers{JID: jid, Returned: map[string]runners.Answer{}, Missing: account.Missing}
	if a.Missing == nil {
		a.Missing = map[string]jobevent.Absence{}
	}
	for id, path := range account.Waiting {
		a.Missing[id] = jobevent.Absence{Reason: engine.NoResponse, Path: path}
	}
	for _, r := range rets {
		v, err := wire.Decode(r.Value)
		if err != nil {
			return a, fmt.Errorf("the answer of %s: %w", r.ID, err)
		}
		a.Returned[r.ID] = runners.Answer{Value: v, OK: r.Success && r.Retcode == 0}
		delete(a.Missing, r.ID)
	}
	return a, nil
}
