package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// Follow implements [client.Master]. It starts the job, then opens its stream, which begins with
// the earlier updates.
func (c *Client) Follow(ctx context.Context, j client.Job) (*client.Following, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return &client.Following{}, err
	}
	if !ours {
		return c.wait(ctx, j)
	}
	p, err := c.Publish(ctx, j)
	if err != nil {
		return &client.Following{Published: p}, err
	}
	return c.FollowJob(p), nil
}

// FollowJob follows a job that was already started, like [client.Client.FollowJob]. An unknown
// job is reported by the first Next.
func (c *Client) FollowJob(p client.Published) *client.Following {
	return client.FollowingOf(p, &following{c: c, jid: p.JID, seen: map[string]bool{}})
}

// OpenJob is FollowJob with an immediate connection, so that an unknown job is reported at once.
// ctx bounds the connection only.
func (c *Client) OpenJob(ctx context.Context, jid string) (*client.Following, error) {
	f := &following{c: c, jid: jid, seen: map[string]bool{}}
	if _, err := f.stream(ctx); err != nil {
		return nil, err
	}
	return client.FollowingOf(client.Published{JID: jid, ReportsEnd: true}, f), nil
}

// following is the stream of a job, reopened when it breaks.
type following struct {
	c    *Client
	jid  string
	seen map[string]bool // minions whose return was delivered
	p    patience
	// expected holds the expectations known before the stream was opened, delivered first.
	expected []client.Update
	asked    bool

	mu     sync.Mutex // guards the fields below
	s      *stream
	closed bool
}

// Close implements [client.Updates].
func (f *following) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.s != nil {
		f.s.close()
		f.s = nil
	}
	return nil
}

// stream returns the open stream, or opens one.
func (f *following) stream(ctx context.Context) (*stream, error) {
	f.mu.Lock()
	s, closed := f.s, f.closed
	f.mu.Unlock()
	if closed {
		return nil, client.ErrClosed
	}
	if s != nil {
		return s, nil
	}
	query := url.Values{"exact": {"yes"}}
	if f.c.o.Expected {
		query.Set("expected", "yes")
	}
	at := f.c.route.base()
	path := "/jobs/" + url.PathEscape(f.jid) + "/stream"
	s, err := f.c.open(ctx, path, query, "")
	if refused(err) && f.c.loginAgain(ctx, at) {
		s, err = f.c.open(ctx, path, query, "")
	}
	if err != nil {
		return nil, err
	}
	if f.c.o.Expected && !f.asked {
		f.asked = true
		f.expected = f.c.expected(ctx, f.jid)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		s.close()
		return nil, client.ErrClosed
	}
	f.s = s
	return s, nil
}

// drop closes a broken stream; it returns an error if the following is closed.
func (f *following) drop(s *stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.close()
	f.s = nil
	if f.closed {
		return client.ErrClosed
	}
	return nil
}

// Next implements [client.Updates].
func (f *following) Next(ctx context.Context) (client.Update, error) {
	for {
		s, err := f.stream(ctx)
		if err == nil && len(f.expected) > 0 {
			u := f.expected[0]
			f.expected = f.expected[1:]
			return u, nil
		}
		var e event
		if err == nil {
			if e, err = s.next(ctx); err == nil && e.tag == "mom/api/end" {
				err = fmt.Errorf("the API ended the stream: %s", reason(e))
			}
			if err != nil {
				if time.Since(s.opened) >= steady {
					f.p.reset()
				}
				if closed := f.drop(s); closed != nil {
					return client.Update{}, closed
				}
			}
		}
		if err != nil {
			if err := f.lost(ctx, err); err != nil {
				return client.Update{}, err
			}
			continue
		}
		u, ok, err := f.read(e)
		if err != nil {
			return client.Update{}, fmt.Errorf("updates of job %s: event %q: %w", f.jid, e.tag, err)
		}
		if ok {
			f.p.reset()
			return u, nil
		}
	}
}

// expected fetches the minions that must answer a job, as far as known. If the user may not
// query them, --progress shows no nodes.
func (c *Client) expected(ctx context.Context, jid string) []client.Update {
	v, err := c.Runner(ctx, "jobs.list_job", jid)
	var m *value.Map
	if err == nil {
		m, err = v.Map()
	}
	if err != nil {
		c.o.Log.Debug("expected minions unknown", "jid", jid, "err", err)
		return nil
	}
	behind := map[string][]string{}
	for _, id := range m.Strings("Minions") {
		path := m.Map("Paths").String(id)
		behind[path] = append(behind[path], id)
	}
	var out []client.Update
	for _, path := range slices.Sorted(maps.Keys(behind)) {
		out = append(out, client.Update{Expectation: &client.Expectation{Node: path, Minions: behind[path]}})
	}
	return out
}

// lost handles a failed attempt; it returns nil if another attempt is due.
func (f *following) lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, client.ErrClosed):
		return err
	case vain(err):
		return fmt.Errorf("%w: stream of job %s: %w; the job goes on, see: salt-run jobs.lookup_jid %s", client.ErrBusLost, f.jid, err, f.jid)
	}
	again, stop := f.p.again(ctx)
	if stop != nil {
		return stop
	}
	if !again {
		return fmt.Errorf("%w: stream of job %s at %s lost: %w; the job goes on, see: salt-run jobs.lookup_jid %s",
			client.ErrBusLost, f.jid, f.c.URL(), err, f.jid)
	}
	f.c.o.Log.Debug("job stream lost, reconnecting", "jid", f.jid, "err", err)
	return nil
}

// reason returns why the API ended a stream.
func reason(e event) string {
	d, err := dataOf(e)
	if err != nil {
		return "no reason given"
	}
	return d.String("reason")
}

// dataOf returns the data of an event: {"tag": ..., "data": {...}}.
func dataOf(e event) (*value.Map, error) {
	var raw client.Raw
	if err := raw.UnmarshalJSON(e.data); err != nil {
		return nil, err
	}
	m, err := raw.Map()
	if err != nil {
		return nil, err
	}
	d := m.Map("data")
	if d == nil {
		return nil, errors.New("event has no data")
	}
	return d, nil
}

// read converts an event to an update; it returns false if the event has nothing new.
func (f *following) read(e event) (client.Update, bool, error) {
	ret := strings.HasPrefix(e.tag, "salt/job/"+f.jid+"/ret/")
	if !ret && e.tag != "mom/job/unsaved" && e.tag != "mom/job/missing" && e.tag != "mom/job/complete" && e.tag != "mom/job/expected" {
		return client.Update{}, false, nil
	}
	d, err := dataOf(e)
	if err != nil {
		return client.Update{}, false, err
	}
	if of := d.String("jid"); of != f.jid {
		return client.Update{}, false, fmt.Errorf("event belongs to job %q", of)
	}
	switch {
	case ret:
		return f.returned(d)
	case e.tag == "mom/job/unsaved":
		return client.Update{Unsaved: &client.Unsaved{ID: d.String("id"), Reason: d.String("reason")}}, true, nil
	case e.tag == "mom/job/missing":
		return client.Update{Missing: missingOf(d)}, true, nil
	case e.tag == "mom/job/expected":
		return client.Update{Expectation: &client.Expectation{Node: d.String("node"), Minions: d.Strings("minions"), Asked: d.Strings("asked")}}, true, nil
	}
	a := &client.Account{
		JID: f.jid, Expected: int(d.Int("expected")), Returned: int(d.Int("returned")), Failed: int(d.Int("failed")),
		Missing: missingOf(d), Nodes: map[string]string{}, Took: time.Duration(d.Float("took") * float64(time.Second)),
	}
	d.Map("nodes").Range(func(k, v any) bool {
		path, _ := k.(string)
		a.Nodes[path], _ = v.(string)
		return true
	})
	return client.Update{Complete: a}, true, nil
}

func (f *following) returned(d *value.Map) (client.Update, bool, error) {
	r := &client.Return{JID: f.jid, ID: d.String("id"), Fun: d.String("fun"), Retcode: int(d.Int("retcode")), Success: d.Bool("success"), Out: d.String("out")}
	if r.ID == "" {
		return client.Update{}, false, errors.New("return has no minion id")
	}
	if f.seen[r.ID] {
		return client.Update{}, false, nil
	}
	v, _ := d.Get("return")
	var err error
	if r.Value, err = client.RawOf(v); err != nil {
		return client.Update{}, false, err
	}
	//mutant:remote-returns-once
	f.seen[r.ID] = true
	return client.Update{Return: r}, true, nil
}

func missingOf(d *value.Map) map[string]client.Missing {
	out := map[string]client.Missing{}
	d.Map("missing").Range(func(k, v any) bool {
		id, _ := k.(string)
		if m, ok := v.(*value.Map); ok && id != "" {
			out[id] = client.Missing{Reason: m.String("reason"), Path: m.String("path")}
		}
		return true
	})
	return out
}
