package jobs

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/salt/modules"
)

// run runs the function or functions of a publication and stores the return.
func (j *Jobs) run(from Master, p wire.Publication, place *turn) {
	load, err := wire.DecodeMap(p.Full)
	if err != nil {
		j.answer(from, p, delivery.Failure(p, "ERROR: the publication cannot be read: "+err.Error()))
		return
	}
	load.Delete("serial")
	load.Delete(channel.SeqField)
	ctx, end, err := j.Begin(j.ctx, p.JID, from.Name(), load)
	if err != nil {
		j.Log.Warn("job not started", "jid", p.JID, "err", err)
		return
	}
	defer end()
	j.remember(p.JID)
	ctx, received := j.span(ctx, "salt.minion.recv.", trace.SpanKindServer, p)
	defer received.End(nil)

	stores, err := j.Returners.OpenFor(ctx, p)
	if err != nil {
		j.answer(from, p, delivery.Failure(p, "ERROR: "+err.Error()))
		return
	}
	exec, span := j.span(ctx, "salt.minion.exec.", trace.SpanKindInternal, p)
	ret := j.perform(exec, from, p, load, place)
	ret.Trace = j.Tracer.Inject(exec)
	span.End(failed(ret))
	full := j.encoded(p, ret)
	if stores.None() {
		j.hand(from, p, full)
		return
	}
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		if err := stores.Save(p, ret, full); err != nil {
			j.Log.Error("return not saved", "jid", p.JID, "err", err)
			//mutant:returners-unsaved-is-reported
			j.unsaved(from.Env(), p.JID, err)
		}
	}()
	// A report that a returner failed must reach the master before the return, which may end
	// the job. The wait for a slow returner is bounded.
	hold := time.NewTimer(saveFirst)
	defer hold.Stop()
	select {
	case <-saved:
	case <-hold.C:
	}
	j.hand(from, p, full)
	<-saved
}

// saveFirst is how long a return waits for its returners.
const saveFirst = time.Second

// unsaved fires salt/job/JID/unsaved/ID: a returner has not saved a return.
func (j *Jobs) unsaved(env modules.Env, jid string, why error) {
	ctx, cancel := context.WithTimeout(j.ctx, saveFirst)
	defer cancel()
	data := wire.NewMap("id", j.Config.ID, "jid", jid, "err", why.Error())
	if err := env.Fire(ctx, "salt/job/"+jid+"/unsaved/"+j.Config.ID, data); err != nil {
		j.Log.Warn("event about an unsaved return not sent", "jid", jid, "err", err)
	}
}

// perform waits for a slot and runs the job.
func (j *Jobs) perform(ctx context.Context, from Master, p wire.Publication, load *wire.Map, place *turn) delivery.Result {
	names, err := delivery.Functions(p.Fun)
	if err != nil {
		return delivery.Failure(p, "ERROR: "+err.Error())
	}
	if err := place.wait(ctx); err != nil {
		return delivery.Failure(p, fmt.Sprintf("ERROR: job %s was ended before it began: %v", p.JID, context.Cause(ctx)))
	}
	env := from.Env()
	if p.StartEvent {
		j.fireStart(ctx, env, p, load)
	}
	if fun, ok := load.Get("fun"); ok {
		if name, single := fun.(string); single {
			r := modules.Execute(ctx, env, modules.Invocation{Fun: name, Args: load.List("arg"), JID: p.JID, Direct: true})
			return delivery.Result{Value: r.Value, Retcode: r.Retcode, Success: r.Success, Out: r.Out}
		}
	}
	return j.performAll(ctx, env, names, load.List("arg"), p.JID)
}

// performAll runs the functions of a compound job one after another.
func (j *Jobs) performAll(ctx context.Context, env modules.Env, names []string, args []any, jid string) delivery.Result {
	values, codes, oks := wire.NewMap(), wire.NewMap(), wire.NewMap()
	var listed [3][]any
	for i, name := range names {
		var own []any
		if i < len(args) {
			own, _ = args[i].([]any)
		}
		r := modules.Execute(ctx, env, modules.Invocation{Fun: name, Args: own, JID: jid, Direct: true})
		values.Set(name, r.Value)
		codes.Set(name, r.Retcode)
		oks.Set(name, r.Success)
		for k, v := range []any{r.Value, r.Retcode, r.Success} {
			listed[k] = append(listed[k], v)
		}
	}
	if j.Config.MultifuncOrdered {
		return delivery.Result{Value: listed[0], Retcode: listed[1], Success: listed[2]}
	}
	return delivery.Result{Value: values, Retcode: codes, Success: oks}
}
