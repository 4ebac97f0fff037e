package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// maxTag bounds the path of a webhook, which becomes a tag.
const maxTag = 512

// secretHeaders are not told to those who listen to events.
var secretHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Auth-Token"}

// hook makes an event of a request: salt/netapi/hook and the path behind it.
func (s *Server) hook(c *call) error {
	if _, ok, err := s.maybeHolder(c); !s.o.OpenWebhooks {
		if err != nil {
			return err
		}
		if !ok {
			return errNoSession
		}
	}
	l := s.limitsOf(c)
	if !c.known() {
		l.bytes, l.bounds = min(hookBody, s.o.MaxBody), hookBounds
	}
	tag := "salt/netapi/hook"
	if p := c.r.PathValue("path"); p != "" {
		tag += "/" + p
	}
	if len(tag) > maxTag {
		return refuse(http.StatusBadRequest, "the path is too long for the tag of an event")
	}
	data, raw, err := s.parseWithin(c, l)
	if err != nil {
		return err
	}
	post := data.Value
	if post == nil {
		post = value.NewMap()
	}
	get := value.NewMap()
	q := c.r.URL.Query()
	for _, name := range slices.Sorted(keysOf(q)) {
		get.Set(name, one(q[name]))
	}
	head := value.NewMap("Host", c.r.Host)
	for _, name := range slices.Sorted(keysOf(c.r.Header)) {
		if !slices.Contains(secretHeaders, name) {
			head.Set(name, strings.Join(c.r.Header[name], ", "))
		}
	}
	e := value.NewMap("post", post, "get", get, "headers", head)
	if s.d.rawHook {
		e = value.NewMap("body", string(raw), "post", post, "get", get, "headers", head)
	}
	if err := s.b.Fire(c.ctx, tag, e); err != nil {
		return err
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("success", true))
	return nil
}

func keysOf(m map[string][]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// one is a text, or several as a list.
func one(all []string) any {
	if len(all) == 1 {
		return all[0]
	}
	return all
}
