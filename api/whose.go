package api

import (
	"net/http"

	"github.com/momtree/mom/value"
)

// whose tells whose token a request shows, until when it holds, and by which rules: what a
// gateway, or a program, has to know of one that somebody else was given.
func (s *Server) whose(c *call) error {
	t := c.token
	groups, perms := t.Groups, t.Perms
	if groups == nil {
		groups = []string{}
	}
	if perms == nil {
		perms = []any{}
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{value.NewMap(
		"user", t.Name, "eauth", t.Eauth, "start", unix(t.Start), "expire", unix(t.Expire), "perms", perms, "groups", groups,
	)}))
	return nil
}
