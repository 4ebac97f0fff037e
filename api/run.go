package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// result is what came of one chunk.
type result struct {
	// values go into "return": one, but of a batch one for each minion.
	values []any
	jids   []string // of what was started
	// missing are the minions that have not answered, by id.
	missing map[string]client.Missing
	err     error
	// shown is what a call that failed has to show all the same; nil: nothing.
	shown any
}

// runLow serves POST /: each chunk runs under the token of the request, or else its own.
func (s *Server) runLow(c *call) error {
	t, ok, err := s.maybeHolder(c)
	if err != nil {
		return err
	}
	err = s.lowData(c, t, func(ch lowdata.Chunk) (client.Login, error) {
		own, has := ch.Login()
		has = has && own.Token != ""
		switch {
		case has && (!ok || s.o.Dialect == Tornado): // in rest_cherrypy the token of the request counts
			return own, nil
		case ok:
			return client.Login{Token: t.Token}, nil
		}
		return client.Login{}, errNoSession
	})
	if err != nil && !ok {
		if p, _ := problemOf(err); p.status == http.StatusBadRequest {
			return errNoSession // as in Salt, before anything is said of the body
		}
	}
	return err
}

// runBare serves /run: each chunk has a login of its own, or that of the request.
func (s *Server) runBare(c *call) error {
	t, ok, err := s.maybeHolder(c)
	if err != nil && !errors.Is(err, errNoSession) { // a stale cookie is no reason to refuse chunks that have their own
		return err
	}
	if !ok {
		if err := s.ownLogin(c.r); err != nil {
			return err
		}
	}
	return s.lowData(c, t, func(ch lowdata.Chunk) (client.Login, error) {
		if l, own := ch.Login(); own {
			return l, nil
		}
		if ok {
			return client.Login{Token: t.Token}, nil
		}
		return client.Login{}, errNoLogin
	})
}

// lowData reads the chunks of a request, runs them one after the other and answers.
func (s *Server) lowData(c *call, t Token, login func(lowdata.Chunk) (client.Login, error)) error {
	data, raw, err := s.parse(c)
	if err != nil {
		return err
	}
	chunks, err := data.Chunks(lowdata.Options{Typed: s.d.typed})
	if err != nil {
		return err
	}
	if len(chunks) == 0 {
		if _, err := login(lowdata.Chunk{}); err != nil {
			return err
		}
	}
	logins := make([]client.Login, len(chunks))
	for i, ch := range chunks {
		if logins[i], err = login(ch); err != nil {
			return err
		}
	}
	shown := s.verify(c, logins)
	defer shown.end()
	if err := shown.err(); err != nil {
		return err
	}
	for i, err := range shown.errs {
		//mutant:idempotency-password
		if err != nil && c.r.Header.Get("Idempotency-Key") != "" { // the answer may be there already, and is for those who are logged in now
			return loginErrorOf(chunks[i], err)
		}
	}
	if err := shown.admit(); err != nil {
		return err
	}
	return s.once(c, t, logins, raw, shown.still, func(ctx context.Context) reply {
		results := make([]result, len(chunks))
		for i, ch := range chunks {
			if shown.errs[i] != nil {
				results[i].err = loginErrorOf(ch, shown.errs[i])
				continue
			}
			results[i] = s.perform(ctx, shown.logins[i], ch)
		}
		return s.gather(c, results)
	})
}

// gather makes one answer of many results. A chunk that failed has the text of its error
// in its place, and stands under "errors" as well; the status is that of the first error
// only where no chunk has come to anything.
func (s *Server) gather(c *call, results []result) reply {
	out := []any{}
	var errs, missing []any
	var first *problem
	rep := reply{status: http.StatusOK}
	good := len(results) == 0
	for i, r := range results {
		rep.jids = append(rep.jids, r.jids...)
		if r.err != nil {
			p, foreseen := problemOf(r.err)
			if !foreseen {
				s.log.Warn("chunk failed", "route", c.r.Pattern, "chunk", i, "status", p.status, "err", r.err)
			}
			if first == nil {
				first = p
			}
			e := value.NewMap("chunk", i, "status", p.status, "message", p.text, "jobs", r.jids)
			if r.shown != nil {
				e.Set("value", r.shown)
			}
			errs = append(errs, e)
			out = append(append(out, r.values...), p.text)
			continue
		}
		good = true
		out = append(out, r.values...)
		for _, id := range slices.Sorted(maps.Keys(r.missing)) {
			m := r.missing[id]
			missing = append(missing, value.NewMap("chunk", i, "id", id, "reason", m.Reason, "path", m.Path))
		}
	}
	if !good {
		rep.status = first.status
	}
	if !good && len(results) == 1 && len(results[0].values) == 0 {
		m := told(first.status, first.text)
		if results[0].shown != nil {
			m.Set("value", results[0].shown)
		}
		if len(rep.jids) > 0 {
			m.Set("jobs", rep.jids)
		}
		rep.value = m
		return rep
	}
	m := value.NewMap("return", out)
	if errs != nil {
		m.Set("errors", errs)
	}
	if missing != nil {
		m.Set("missing", missing)
	}
	rep.value = m
	return rep
}

// noMatch is what rest_tornado has in the place of the results of nobody.
const noMatch = "No minions matched the target. No command was sent, no jid was assigned."

// perform runs one chunk.
func (s *Server) perform(ctx context.Context, l client.Login, ch lowdata.Chunk) (r result) {
	run, err := s.clientOf(ch.Client())
	if err != nil {
		return result{err: err}
	}
	ses := s.b.As(l)
	if r = run(s, ctx, ses, ch); errors.Is(r.err, client.ErrNoMatch) {
		if s.o.Dialect == Tornado {
			return result{values: []any{noMatch}}
		}
		return result{values: []any{value.NewMap()}}
	}
	return r
}

// clients are the clients by Salt's names.
var clients = map[string]func(*Server, context.Context, Session, lowdata.Chunk) result{
	"local":        (*Server).local,
	"local_async":  (*Server).localAsync,
	"local_batch":  (*Server).localBatch,
	"local_subset": (*Server).localSubset,
	"runner":       (*Server).runner,
	"runner_async": (*Server).runnerAsync,
	"wheel":        (*Server).wheel,
	"wheel_async":  (*Server).wheelAsync,
}

// clientOf finds a client that is known and enabled.
func (s *Server) clientOf(name string) (func(*Server, context.Context, Session, lowdata.Chunk) result, error) {
	run := clients[name]
	switch {
	case name == "ssh":
		return nil, refuse(http.StatusBadRequest, "Client disabled: 'ssh'. Salt SSH is not part of this server.")
	case run == nil:
		if len(name) > 60 {
			name = name[:60] + "…"
		}
		return nil, refuse(http.StatusBadRequest, fmt.Sprintf("Invalid client specified: '%s'", name))
	case !slices.Contains(s.o.Clients, name):
		return nil, refuse(http.StatusBadRequest, fmt.Sprintf("Client disabled: '%s'. Add to 'netapi_enable_clients' master config option to enable.", name))
	}
	return run, nil
}
