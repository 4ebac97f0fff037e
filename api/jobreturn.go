package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// jobReturn shows what one minion has returned to a job. Who may see the job may see it.
func (s *Server) jobReturn(c *call) error {
	id, minion := c.r.PathValue("jid"), c.r.PathValue("id")
	if !jid.Valid(id) {
		return refuse(http.StatusNotFound, "this is no job id")
	}
	v, err := s.askFor(c, client.RunnerCall{Fun: "jobs.list_job", Args: []any{id}, Kwargs: map[string]any{"id": minion}})
	if err != nil {
		return err
	}
	m, _ := v.(*value.Map)
	r := m.Map("Result").Map(minion)
	if r == nil {
		return refuse(http.StatusNotFound, whyNone(m, minion))
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
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{out}))
	return nil
}

// whyNone tells by the record of a job why there is no return of a minion.
func whyNone(m *value.Map, minion string) string {
	switch why := m.Map("Missing").String(minion); {
	case why != "":
		return fmt.Sprintf("%s did not return: %s", minion, why)
	case slices.Contains(m.Strings("Minions"), minion):
		return minion + " has not returned yet"
	case m.Has("Error"):
		return "the master does not know this job, or no more"
	}
	return minion + " does not have to answer this job"
}

// askFor is ask for a call of any form.
func (s *Server) askFor(c *call, call client.RunnerCall) (any, error) {
	ctx, cancel := context.WithTimeout(c.ctx, s.o.RunnerTime)
	defer cancel()
	raw, err := s.session(c.token).Runner(ctx, call)
	if e, ok := errors.AsType[*client.RunnerError](err); ok && e.Value != nil {
		raw, err = e.Value, nil // such as a job that is not known: what is shown of it says so
	}
	if err != nil {
		return nil, err
	}
	return raw.Decode()
}
