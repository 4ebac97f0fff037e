package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/salt/modules"
)

// failedCode is the return code of a job whose function failed to run.
const failedCode = 254

// The jid in a return of a job that nobody has published, and the field that mom adds: the id
// that the job has here. mom masters use that id, so that a return that is sent twice is stored
// once.
const (
	byMaster = "req"
	noCache  = "nocache"
	ownJID   = "mom_jid"
)

// do executes a run, and returns when its result is stored for all receivers.
func (s *Scheduler) do(ctx context.Context, r schedule.Run, id string) {
	if r.Function == mineUpdate {
		s.updateMine(ctx, r, id)
		return
	}
	env := s.o.Env()
	if masters := s.o.Masters(); len(masters) > 0 {
		env = masters[0].Env()
	}
	s.deliver(ctx, r, id, s.perform(ctx, env, r, id), s.o.Masters())
}

// result is the result of a run, as Salt's scheduler reports it.
type result struct {
	value   any
	retcode int
	success bool
	out     string
	load    *wire.Map // the job, without its result
}

// perform runs the function. Meanwhile the job is in the table of running jobs, unless it has
// jid_include: False.
func (s *Scheduler) perform(ctx context.Context, env modules.Env, r schedule.Run, id string) result {
	args := append([]any{}, r.Args...)
	written := append([]any{}, r.Args...)
	if r.Kwargs != nil {
		written = append(written, r.Kwargs)
		marked := r.Kwargs.Clone()
		marked.Set("__kwarg__", true)
		args = append(args, marked)
	}
	res := result{load: wire.NewMap("id", s.o.Config.ID, "fun", r.Function, "fun_args", written, "jid", id)}
	if r.Name != startupJob {
		res.load.Set("schedule", r.Name)
	}
	if r.Metadata != nil {
		res.load.Set("metadata", s.metadata(r.Metadata))
	}
	if r.MaxRunning > 0 {
		jobCtx, end, err := s.o.Jobs.Begin(ctx, id, "", res.load.Clone())
		if err != nil {
			res.value, res.retcode = "ERROR: "+err.Error(), failedCode
			return res
		}
		defer end()
		ctx = jobCtx
	}
	got := modules.Execute(ctx, env, modules.Invocation{Fun: r.Function, Args: args, JID: id, Direct: true})
	res.value, res.retcode, res.success, res.out = got.Value, got.Retcode, true, got.Out
	if got.Err != nil {
		res.retcode, res.success = failedCode, false
		s.o.Log.Error("scheduled job failed", "job", r.Name, "jid", id, "fun", r.Function, "err", got.Value)
	}
	return res
}

// metadata returns the metadata of a job with the times that Salt adds.
func (s *Scheduler) metadata(m *wire.Map) *wire.Map {
	now := s.o.Now()
	m = m.Clone()
	m.Set("_TOS", now.Format("-0700"))
	m.Set("_TS", now.Format(time.ANSIC))
	m.Set("_TT", now.UTC().Format("2006 January 02 Mon 15 01"))
	return m
}

// deliver passes a result to the returners that the job names, and to the masters.
func (s *Scheduler) deliver(ctx context.Context, r schedule.Run, id string, res result, masters []Master) {
	load := wire.NewMap("cmd", "_return")
	res.load.Range(func(k, v any) bool { load.Set(k, v); return true })
	load.Set("return", res.value)
	load.Set("retcode", res.retcode)
	load.Set("success", res.success)
	if res.out != "" {
		load.Set("out", res.out)
	}
	load.Set("tgt", s.o.Config.ID)
	load.Set("tgt_type", "glob")
	full, err := s.encode(load)
	if err != nil {
		load.Set("return", "ERROR: the result cannot be returned: "+err.Error())
		load.Set("retcode", failedCode)
		load.Set("success", false)
		load.Set("fun_args", []any{})
		load.Delete("metadata")
		if full, err = s.encode(load); err != nil {
			s.o.Log.Error("scheduled job result not returned", "job", r.Name, "jid", id, "err", err)
			return
		}
	}
	if r.Name != startupJob {
		s.store(ctx, r, id, res, full)
		s.o.Fire("__schedule_return", load)
	}
	if !r.ReturnJob {
		return
	}
	if s.o.Config.CacheJobs {
		if err := s.o.Jobs.Cache.Put(id, full); err != nil {
			s.o.Log.Error("return not cached", "jid", id, "err", err)
		}
	}
	load.Set("jid", byMaster)
	load.Set(ownJID, id)
	if r.NoCache && len(s.returnerNames(r)) == 0 {
		load.Set("jid", noCache)
		load.Delete(ownJID)
	}
	if full, err = s.encode(load); err != nil {
		s.o.Log.Error("scheduled job result not returned", "job", r.Name, "jid", id, "err", err)
		return
	}
	s.push(id, full, masters)
}

// encode encodes a return, or returns an error if masters would refuse it.
func (s *Scheduler) encode(load *wire.Map) (wire.Raw, error) {
	full, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	return full, s.o.Jobs.Encoder.Fits(full)
}

// returnerNames returns the returners of a job and of the option schedule_returner.
func (s *Scheduler) returnerNames(r schedule.Run) []string {
	names := append([]string{}, r.Returners...)
	return append(names, s.o.Config.ScheduleReturner...)
}

// unsavedTimeout bounds the report of a result that was not saved, for each master.
const unsavedTimeout = time.Second

// unsaved fires salt/job/JID/unsaved/ID at the masters: a returner has not saved a result.
func (s *Scheduler) unsaved(r schedule.Run, id string, why error) {
	data := wire.NewMap("id", s.o.Config.ID, "jid", id, "schedule", r.Name, "err", why.Error())
	for _, m := range s.o.Masters() {
		ctx, cancel := context.WithTimeout(context.Background(), unsavedTimeout)
		if err := m.Env().Fire(ctx, "salt/job/"+id+"/unsaved/"+s.o.Config.ID, data); err != nil {
			s.o.Log.Warn("event about an unsaved result not sent", "job", r.Name, "jid", id, "master", m.Name(), "err", err)
		}
		cancel()
	}
}

// store passes a result to its returners. It skips unknown ones, as Salt does.
func (s *Scheduler) store(ctx context.Context, r schedule.Run, id string, res result, full wire.Raw) {
	value, err := wire.Encode(res.value)
	if err != nil {
		s.o.Log.Error("scheduled job result not saved", "job", r.Name, "jid", id, "err", err)
		return
	}
	ret := returners.Return{
		JID: id, ID: s.o.Config.ID, Fun: r.Function, Success: res.success, Retcode: res.retcode, Out: res.out, Value: value, Full: full, At: s.o.Now(),
	}
	done := map[string]bool{}
	for _, name := range s.returnerNames(r) {
		if done[name] {
			continue
		}
		done[name] = true
		from := s.o.Jobs.Returners
		from.Options = s.o.Config
		from = from.With([]string{name}, r.ReturnConfig, r.ReturnKwargs)
		open, err := from.Open(ctx, []string{name}, r.ReturnConfig)
		if err != nil {
			s.o.Log.Error("scheduled job: unknown returner ignored", "job", r.Name, "returner", name, "err", err)
			s.unsaved(r, id, fmt.Errorf("open %w", err))
			continue
		}
		// The minion may be stopping; save the result anyway.
		if err := open.SaveReturn(context.WithoutCancel(ctx), ret); err != nil {
			s.o.Log.Error("scheduled job result not saved", "job", r.Name, "jid", id, "err", err)
			s.unsaved(r, id, err)
		}
		open.Close()
	}
}
