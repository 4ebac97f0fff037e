package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// maxWait bounds a long poll.
const maxWait = 600 * time.Second

// jobSession reads jobs for a user; see [Session].
type jobSession interface {
	Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error)
	Follow(ctx context.Context, jid string) (Following, error)
	Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error)
}

// jobHandler serves /jobs.
type jobHandler struct {
	as      func(client.Login) jobSession
	streams *streams
	time    time.Duration // bounds a call of a runner
	// info shows the record of a job beside its results, as the dialect does.
	info bool
	log  *slog.Logger
}

// session returns what the user of a request may do.
func (h *jobHandler) session(c *call) jobSession { return h.as(client.Login{Token: c.token.Token}) }

// ask calls a runner. A failed runner with a value, such as for an unknown job, counts as success.
func (h *jobHandler) ask(c *call, call client.RunnerCall) (any, error) {
	ctx, cancel := context.WithTimeout(c.ctx, h.time)
	defer cancel()
	raw, err := h.session(c).Runner(ctx, call)
	if e, ok := errors.AsType[*client.RunnerError](err); ok && e.Value != nil {
		raw, err = e.Value, nil
	}
	if err != nil {
		return nil, err
	}
	return raw.Decode()
}

// list lists the jobs in the job cache.
func (h *jobHandler) list(c *call) error {
	v, err := h.ask(c, client.RunnerCall{Fun: "jobs.list_jobs"})
	if err != nil {
		return err
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}

// show shows a job. With ?wait= it first waits that long for the job to complete.
func (h *jobHandler) show(c *call) error {
	wait, err := c.seconds("wait", maxWait)
	if err != nil {
		return err
	}
	id := c.r.PathValue("jid")
	var complete any
	if c.r.URL.Query().Has("wait") {
		if complete, err = h.await(c, id, wait); err != nil {
			return err
		}
	}
	v, err := h.ask(c, client.RunnerCall{Fun: "jobs.list_job", Args: []any{id}})
	if err != nil {
		return err
	}
	m := value.NewMap()
	if h.info {
		m.Set("info", []any{v})
		m.Set("return", []any{resultsOf(v)})
	} else {
		m.Set("return", []any{v})
	}
	if complete != nil {
		m.Set("complete", complete)
	}
	c.answer(http.StatusOK, m)
	return nil
}

// resultsOf returns the values of the returns in the record of a job, by minion.
func resultsOf(record any) *value.Map {
	results := value.NewMap()
	if m, ok := record.(*value.Map); ok {
		m.Map("Result").Range(func(k, r any) bool {
			if r, ok := r.(*value.Map); ok {
				ret, _ := r.Get("return")
				results.Set(k, ret)
			}
			return true
		})
	}
	return results
}

// await waits for the end of a job. It returns true once the job is complete.
func (h *jobHandler) await(c *call, id string, wait time.Duration) (bool, error) {
	if !jid.Valid(id) {
		return false, Refuse(http.StatusBadRequest, "not a job id: nothing to wait for")
	}
	ctx, cancel := context.WithTimeout(c.ctx, wait)
	defer cancel()
	stop := context.AfterFunc(h.streams.ending, cancel)
	defer stop()
	open, shut := context.WithTimeout(c.ctx, h.time)
	defer shut()
	f, err := h.session(c).Follow(open, id)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for failed := 0; ; {
		u, err := f.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return false, c.ctx.Err() // nil unless the client has gone
		case errors.Is(err, client.ErrBusLost) || errors.Is(err, client.ErrClosed):
			return false, err
		case err != nil:
			if failed++; failed == maxUnreadable {
				return false, err
			}
		case u.Complete != nil:
			return true, nil
		default:
			failed = 0
		}
	}
}

// status shows the account of a job: how many minions were expected, have returned, have failed,
// are missing and why, and which are awaited, each with its path.
func (h *jobHandler) status(c *call) error {
	wait, err := c.seconds("timeout", maxWait)
	if err != nil {
		return err
	}
	raw, err := flag(c.r.URL.Query(), "raw")
	if err != nil {
		return err
	}
	id := c.r.PathValue("jid")
	if !jid.Valid(id) {
		return errNoJobID
	}
	ctx, cancel := context.WithTimeout(c.ctx, h.time+wait)
	defer cancel()
	step, err := h.session(c).Trace(ctx, id, wait)
	if err != nil && !unknownToAll(err) {
		return err
	}
	if err != nil || step.State == trace.Unknown {
		return errUnknownJob
	}
	v := accountOf(id, step)
	if raw {
		v = step.Map()
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}

// oneReturn shows what one minion has returned to a job, to those who may see the job.
func (h *jobHandler) oneReturn(c *call) error {
	id, minion := c.r.PathValue("jid"), c.r.PathValue("id")
	if !jid.Valid(id) {
		return errNoJobID
	}
	v, err := h.ask(c, client.RunnerCall{Fun: "jobs.list_job", Args: []any{id}, Kwargs: map[string]any{"id": minion}})
	if err != nil {
		return err
	}
	m, _ := v.(*value.Map)
	r := m.Map("Result").Map(minion)
	if r == nil {
		return noReturn(m, minion)
	}
	fun, _ := m.Get("Function")
	out := value.NewMap("jid", id, "id", minion, "fun", fun)
	r.Range(func(k, v any) bool {
		out.Set(k, v)
		return true
	})
	if path := m.Map("Paths").String(minion); path != "" {
		out.Set("path", path)
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{out}))
	return nil
}

// noReturn returns the reason in the record of a job why a minion has no return.
func noReturn(m *value.Map, minion string) error {
	switch why := m.Map("Missing").String(minion); {
	case why != "":
		return Refuse(http.StatusNotFound, fmt.Sprintf("%s did not return: %s", minion, why))
	case slices.Contains(m.Strings("Minions"), minion):
		return Refuse(http.StatusNotFound, minion+" has not returned yet")
	case m.Has("Error"):
		return errUnknownJob
	}
	return Refuse(http.StatusNotFound, minion+" is not a minion of this job")
}

// stream sends the returns of a job as they come, the stored ones first, and at its end the account.
func (h *jobHandler) stream(c *call) error {
	id := c.r.PathValue("jid")
	if !jid.Valid(id) {
		return errNoJobID
	}
	ctx, end, err := h.streams.begin(c)
	if err != nil {
		return err
	}
	defer end()
	open, shut := context.WithTimeout(ctx, h.time)
	defer shut()
	f, err := h.session(c).Follow(open, id)
	if err != nil {
		return err
	}
	q := c.r.URL.Query()
	s := &jobStream{jid: id, to: openEventSource(c.w, nil), expected: q.Get("expected") == "yes", log: h.log}
	if q.Get("exact") == "yes" {
		s.form = asExact
	}
	s.serve(ctx, f, func(ctx context.Context) bool {
		_, ok := h.streams.stillValid(ctx, c.token)
		return ok
	})
	return nil
}
