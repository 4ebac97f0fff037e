package api

import (
	"context"
	"net/http"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// minions shows the grains of minions: a job that asks them for grains.items.
func (s *Server) minions(c *call) error {
	tgt := c.r.PathValue("id")
	if tgt == "" {
		tgt = "*"
	}
	r := s.perform(c.ctx, client.Login{Token: c.token.Token}, lowdata.New("client", "local", "tgt", tgt, "fun", "grains.items"))
	s.reply(c, s.gather(c, []result{r}))
	return nil
}

// startJobs starts jobs and answers with where they will be found.
func (s *Server) startJobs(c *call) error {
	data, raw, err := s.parse(c)
	if err != nil {
		return err
	}
	chunks, err := data.Chunks(lowdata.Options{Typed: s.d.typed})
	if err != nil {
		return err
	}
	for i, ch := range chunks {
		if name := ch.Client(); s.o.Dialect == Tornado && name != "None" && name != "local_async" {
			return refuse(http.StatusBadRequest, "Only the client local_async is served here; leave the field client out")
		}
		chunks[i] = ch.With("client", "local_async")
	}
	l := client.Login{Token: c.token.Token}
	return s.once(c, c.token, []client.Login{l}, raw, nil, func(ctx context.Context) reply {
		results := make([]result, len(chunks))
		for i, ch := range chunks {
			results[i] = s.perform(ctx, l, ch)
		}
		rep := s.gather(c, results)
		if rep.status != http.StatusOK || !s.d.links {
			return rep
		}
		rep.status = http.StatusAccepted
		links := []any{}
		for _, jid := range rep.jids {
			if jid != "" {
				links = append(links, value.NewMap("href", s.o.Root+"/jobs/"+jid))
			}
		}
		if m, ok := rep.value.(*value.Map); ok {
			m.Set("_links", value.NewMap("jobs", links))
		}
		return rep
	})
}
