package remote

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// wait runs a job through Salt's API, which has no streams: the server waits and returns all
// results at once. Minions that did not return are missing if the target names them or Salt
// lists them; others are unknown.
func (c *Client) wait(ctx context.Context, j client.Job) (*client.Following, error) {
	ch, err := chunk("local", j, false)
	if err != nil {
		return &client.Following{}, err
	}
	ch.Set("full_return", true)
	v, err := c.run(ctx, ch, c.o.CallTime)
	if err != nil {
		return &client.Following{}, err
	}
	m, ok := v.(*value.Map)
	if !ok {
		return &client.Following{}, fmt.Errorf("run %s: the API response is not a map of minions", strings.Join(j.Fun, ","))
	}
	w := &waited{}
	a := &client.Account{Missing: map[string]client.Missing{}}
	m.Range(func(k, v any) bool {
		id, _ := k.(string)
		d, ok := v.(*value.Map)
		if id == "" {
			return true
		}
		if !ok || d.String("out") == "no_return" {
			a.Missing[id] = client.Missing{Reason: "No response"}
			return true
		}
		ret, _ := d.Get("ret")
		r := &client.Return{JID: d.String("jid"), ID: id, Fun: strings.Join(j.Fun, ","), Retcode: int(d.Int("retcode")), Out: d.String("out")}
		r.Success = r.Retcode == 0
		if r.Value, err = client.RawOf(ret); err != nil {
			return false
		}
		a.JID = r.JID
		if r.Success {
			a.Returned++
		} else {
			a.Failed++
		}
		w.updates = append(w.updates, client.Update{Return: r})
		return true
	})
	if err != nil {
		return &client.Following{}, err
	}
	for _, id := range c.Named(j) {
		if !m.Has(id) {
			a.Missing[id] = client.Missing{Reason: "No response"}
		}
	}
	a.Expected = a.Returned + a.Failed + len(a.Missing)
	if a.Expected == 0 {
		return &client.Following{}, fmt.Errorf("%w: %v", client.ErrNoMatch, j.Tgt)
	}
	w.updates = append(w.updates, client.Update{Complete: a})
	return client.FollowingOf(client.Published{JID: a.JID}, w), nil
}

// waited is a job that has already ended.
type waited struct{ updates []client.Update }

// Next implements [client.Updates].
func (w *waited) Next(context.Context) (client.Update, error) {
	if len(w.updates) == 0 {
		return client.Update{}, client.ErrClosed
	}
	u := w.updates[0]
	w.updates = w.updates[1:]
	return u, nil
}

// Close implements [client.Updates].
func (w *waited) Close() error {
	w.updates = nil
	return nil
}
