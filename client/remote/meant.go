package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// Meant returns the minions that a job would run on, without starting it; see
// [client.Client.Meant]. The API names at most 100 minions. Salt's own API does not support it.
func (c *Client) Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return client.Meant{}, fmt.Errorf("preview: %w", err)
	}
	if !ours {
		return client.Meant{}, unfit("Salt's own API cannot preview a job; run the preview on the master's machine or through mom api")
	}
	q := url.Values{"tgt": {text(j.Tgt)}, "fun": {strings.Join(j.Fun, ",")}}
	if j.TgtType != "" {
		q.Set("tgt_type", j.TgtType)
	}
	for _, a := range j.Args {
		q.Add("arg", text(a))
	}
	v, err := c.ask(ctx, question{method: http.MethodGet, path: "/preview", query: q, limit: smallAnswer, time: c.o.Timeout})
	if err != nil {
		return client.Meant{}, fmt.Errorf("preview: %w", err)
	}
	m, _ := v.(*value.Map)
	list := m.List("return")
	if len(list) != 1 {
		return client.Meant{}, errors.New("preview: the API response is empty")
	}
	d, ok := list[0].(*value.Map)
	if !ok {
		return client.Meant{}, errors.New("preview: invalid API response")
	}
	if why := d.String("refused"); why != "" {
		return client.Meant{}, &client.Refused{Name: "AuthorizationError", Message: why}
	}
	meant := client.MeantOf(d)
	meant.Minions = meant.Minions[:min(limit, len(meant.Minions))]
	return meant, nil
}

// text returns a target or an argument as it appears in a URL; several are joined by commas.
func text(v any) string {
	list, ok := v.([]string)
	if !ok {
		return fmt.Sprint(v)
	}
	return strings.Join(list, ",")
}
