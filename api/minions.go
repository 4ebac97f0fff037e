package api

import (
	"context"
	"net/http"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// minionHandler serves /minions.
type minionHandler struct {
	tokens  *tokenChecker
	bodies  *bodyReader
	chunks  *chunkRunner
	repeats *repeatStore
	// typed and links are of the dialect; asyncOnly refuses other clients than local_async.
	typed, links, asyncOnly bool
}

// grains shows the grains of minions: it runs grains.items.
func (h *minionHandler) grains(c *call) error {
	tgt := c.r.PathValue("id")
	if tgt == "" {
		tgt = "*"
	}
	r := h.chunks.run(c.ctx, client.Login{Token: c.token.Token}, lowdata.New("client", "local", "tgt", tgt, "fun", "grains.items"))
	gather(c, []result{r}).send(c)
	return nil
}

// start starts jobs and answers with links to them.
func (h *minionHandler) start(c *call) error {
	data, raw, err := h.bodies.read(c)
	if err != nil {
		return err
	}
	chunks, err := data.Chunks(lowdata.Options{Typed: h.typed})
	if err != nil {
		return err
	}
	for i, ch := range chunks {
		if name := ch.Client(); h.asyncOnly && name != "None" && name != "local_async" {
			return Refuse(http.StatusBadRequest, "This path has only the client local_async; leave out the field client")
		}
		chunks[i] = ch.With("client", "local_async")
	}
	l := client.Login{Token: c.token.Token}
	recheck := func() error {
		_, err := h.tokens.lookUp(c, l.Token)
		return err
	}
	return h.repeats.once(c, []client.Login{l}, raw, recheck, func(ctx context.Context) reply {
		results := make([]result, len(chunks))
		for i, ch := range chunks {
			results[i] = h.chunks.run(ctx, l, ch)
		}
		rep := gather(c, results)
		if rep.status == http.StatusOK && h.links {
			addLinks(&rep, c.root)
		}
		return rep
	})
}

// addLinks puts links to the jobs into a reply, in Salt's form.
func addLinks(rep *reply, root string) {
	rep.status = http.StatusAccepted
	links := []any{}
	for _, jid := range rep.jids {
		if jid != "" {
			links = append(links, value.NewMap("href", root+"/jobs/"+jid))
		}
	}
	if m, ok := rep.value.(*value.Map); ok {
		m.Set("_links", value.NewMap("jobs", links))
	}
}
