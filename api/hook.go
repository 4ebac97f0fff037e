package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// maxTag bounds the path of a webhook, which becomes a tag.
const maxTag = 512

// secretHeaders do not go into events.
var secretHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Auth-Token"}

// eventFirer puts events on the bus; see [Backend].
type eventFirer interface {
	Fire(ctx context.Context, tag string, data any) error
}

// hookHandler serves webhooks.
type hookHandler struct {
	tokens *tokenChecker
	bodies *bodyReader
	master eventFirer
	// open accepts webhooks without a token.
	open bool
	// raw puts the body into the event, as the dialect does.
	raw bool
}

// fire fires an event for a request: salt/netapi/hook and the rest of the path.
func (h *hookHandler) fire(c *call) error {
	if ok, err := h.tokens.identify(c); !h.open {
		if err != nil {
			return err
		}
		if !ok {
			return errNoSession
		}
	}
	tag := "salt/netapi/hook"
	if p := c.r.PathValue("path"); p != "" {
		tag += "/" + p
	}
	if len(tag) > maxTag {
		return Refuse(http.StatusBadRequest, "the path is too long for the tag of an event")
	}
	data, raw, err := h.bodies.readWithin(c, h.bodies.webhookLimitsOf(c))
	if err != nil {
		return err
	}
	post := data.Value
	if post == nil {
		post = value.NewMap()
	}
	get := value.NewMap()
	q := c.r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(q)) {
		get.Set(name, oneOrAll(q[name]))
	}
	head := value.NewMap("Host", c.r.Host)
	for _, name := range slices.Sorted(maps.Keys(c.r.Header)) {
		if !slices.Contains(secretHeaders, name) {
			head.Set(name, strings.Join(c.r.Header[name], ", "))
		}
	}
	e := value.NewMap("post", post, "get", get, "headers", head)
	if h.raw {
		e = value.NewMap("body", string(raw), "post", post, "get", get, "headers", head)
	}
	if err := h.master.Fire(c.ctx, tag, e); err != nil {
		return err
	}
	c.answer(http.StatusOK, value.NewMap("success", true))
	return nil
}

// oneOrAll returns the only value as a text, or several as a list.
func oneOrAll(all []string) any {
	if len(all) == 1 {
		return all[0]
	}
	return all
}
