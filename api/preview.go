package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// previewNamed bounds the minions that a preview names.
const previewNamed = 100

// targetReader matches targets for a user; see [Session].
type targetReader interface {
	Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error)
}

// previewHandler serves /preview.
type previewHandler struct {
	as   func(client.Login) targetReader
	time time.Duration // bounds a call of the master
}

// show shows which minions a job would target, and starts none. The master applies the rules that
// it would apply to the job. A user who may not start the job sees that, and nothing of the tree.
func (h *previewHandler) show(c *call) error {
	q := c.r.URL.Query()
	fields := value.NewMap("client", "local", "tgt", q.Get("tgt"), "fun", q.Get("fun"))
	if q.Get("tgt") == "" || q.Get("fun") == "" {
		return Refuse(http.StatusBadRequest, "tgt and fun are missing: the target, and the function that decides whether the user may run it")
	}
	if kind := q.Get("tgt_type"); kind != "" {
		fields.Set("tgt_type", kind)
	}
	if args := q["arg"]; len(args) > 0 {
		list := make([]any, len(args))
		for i, a := range args {
			list[i] = a
		}
		fields.Set("arg", list)
	}
	j, err := lowdata.Of(fields).Job()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, h.time)
	defer cancel()
	m, err := h.as(client.Login{Token: c.token.Token}).Meant(ctx, j, previewNamed)
	refused := ""
	if r, ok := errors.AsType[*client.Refused](err); ok && (r.Name == "AuthorizationError" || r.Name == "AuthenticationError") {
		refused, err = r.Message, nil
	}
	if err != nil {
		return err
	}
	minions, nodes := []any{}, []any{}
	for _, p := range m.Minions {
		minions = append(minions, value.NewMap("id", p.ID, "path", p.Path, "state", string(p.State)))
	}
	for _, n := range m.Nodes {
		nodes = append(nodes, value.NewMap("path", n.Path, "count", n.Count))
	}
	v := value.NewMap("count", m.Count, "minions", minions, "nodes", nodes, "down", m.Down, "unknown", m.Unknown, "blind", m.Blind)
	if refused != "" {
		v.Set("refused", refused)
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}
