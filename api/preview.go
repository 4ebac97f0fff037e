package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// previewNamed is how many minions a preview names.
const previewNamed = 100

// preview tells whom a job would mean, and starts none. The master holds the user to the
// rules to which it would hold the job; who may not start it is told that, and nothing of
// the tree.
func (s *Server) preview(c *call) error {
	q := c.r.URL.Query()
	fields := value.NewMap("client", "local", "tgt", q.Get("tgt"), "fun", q.Get("fun"))
	if q.Get("tgt") == "" || q.Get("fun") == "" {
		return refuse(http.StatusBadRequest, "tgt and fun are wanted: whom the job means, and the function, which decides whether the user may")
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
	ctx, cancel := context.WithTimeout(c.ctx, s.o.RunnerTime)
	defer cancel()
	m, err := s.session(c.token).Meant(ctx, j, previewNamed)
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
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}
