package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// errNotJSON means that a value cannot be represented in JSON without loss.
var errNotJSON = errors.New("value has no JSON form, such as a map with keys that are not text")

// unfit is the error for a call that the API, or Salt's own API, does not support.
func unfit(format string, args ...any) error {
	return &client.Refused{Name: "SaltInvocationError", Message: fmt.Sprintf(format, args...)}
}

// document encodes a value as JSON, or returns an error if that loses information. A map with
// keys that are not text becomes {"$map": [[key, value], ...]}, which only mom's API reads.
func document(v any) ([]byte, error) {
	raw, err := client.RawOf(v)
	if err != nil {
		return nil, err
	}
	b, err := raw.MarshalJSON()
	if err != nil {
		return nil, errNotJSON
	}
	var back client.Raw
	if err := back.UnmarshalJSON(b); err != nil || !bytes.Equal(raw, back) {
		return nil, errNotJSON
	}
	return b, nil
}

// run sends one chunk of low data and returns its result.
func (c *Client) run(ctx context.Context, ch *value.Map, limit time.Duration) (any, error) {
	return c.runAt(ctx, ch, limit, false)
}

// runAt is run; anywhere means that the chunk has the same effect at each address.
func (c *Client) runAt(ctx context.Context, ch *value.Map, limit time.Duration, anywhere bool) (any, error) {
	fun, _ := ch.Get("fun")
	body, err := document(ch)
	if err != nil {
		return nil, unfit("%v cannot be called through the API: %v", fun, err)
	}
	ours, err := c.streams(ctx)
	if err != nil {
		return nil, err
	}
	if !ours && bytes.Contains(body, []byte(`"$map"`)) {
		return nil, unfit("%v cannot be called through Salt's own API: %v", fun, errNotJSON)
	}
	v, err := c.ask(ctx, question{method: http.MethodPost, path: "/", body: body, limit: maxAnswer, time: limit, once: ours, anywhere: anywhere})
	if err != nil {
		return nil, err
	}
	m, _ := v.(*value.Map)
	list := m.List("return")
	if len(list) != 1 {
		return nil, fmt.Errorf("the API response to %v has no result", fun)
	}
	return list[0], nil
}

// chunk returns the low data of a job.
func chunk(name string, j client.Job, ours bool) (*value.Map, error) {
	if j.Queue > 0 && !ours {
		return nil, unfit("Salt's own API does not support --queue")
	}
	var fun any = j.Fun
	if len(j.Fun) == 1 {
		fun = j.Fun[0]
	}
	m := value.NewMap("client", name, "tgt", j.Tgt, "fun", fun)
	if j.TgtType != "" {
		m.Set("tgt_type", j.TgtType)
	}
	if len(j.Args) > 0 {
		m.Set("arg", j.Args)
	}
	if len(j.Kwargs) > 0 {
		m.Set("kwarg", mapOf(j.Kwargs))
	}
	for field, text := range map[string]string{"ret": j.Ret, "jid": j.JID} {
		if text != "" {
			m.Set(field, text)
		}
	}
	for field, d := range map[string]time.Duration{"timeout": j.Timeout, "queue": j.Queue} {
		if d > 0 {
			m.Set(field, int64((d+time.Second-1)/time.Second))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.Extra)) {
		m.Set(name, j.Extra[name])
	}
	return m, nil
}

// mapOf returns a map with its keys sorted.
func mapOf(of map[string]any) *value.Map {
	m := value.NewMap()
	for _, k := range slices.Sorted(maps.Keys(of)) {
		m.Set(k, of[k])
	}
	return m
}

// Publish implements [client.Master].
func (c *Client) Publish(ctx context.Context, j client.Job) (client.Published, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return client.Published{}, fmt.Errorf("publish: %w", err)
	}
	several := ours && c.route.several()
	if several && j.JID == "" { // the tops run a jid once, whichever gets it
		j.JID = jid.New(time.Now())
	}
	ch, err := chunk("local_async", j, ours)
	if err != nil {
		return client.Published{}, err
	}
	v, err := c.runAt(ctx, ch, c.o.Timeout, several)
	if err != nil {
		return client.Published{}, fmt.Errorf("publish: %w", err)
	}
	m, _ := v.(*value.Map)
	p := client.Published{JID: m.String("jid"), Minions: m.Strings("minions"), Pending: m.Strings("pending"), ReportsEnd: ours}
	switch {
	case m == nil:
		return p, errors.New("publish: the API response is not a job")
	case p.JID == "":
		return p, fmt.Errorf("publish: %w: %v", client.ErrNoMatch, j.Tgt)
	}
	return p, nil
}

// errJID means that a caller chose the job id, which the API does not allow.
var errJID = unfit("the master chooses the job id of a call through the API; omit --jid")

// runnerChunk returns the low data of a runner call. Its timeout is a field that Salt does not
// have.
func runnerChunk(name string, call client.RunnerCall, ours bool) (*value.Map, error) {
	m := value.NewMap("client", name, "fun", call.Fun)
	if len(call.Args) > 0 {
		m.Set("arg", call.Args)
	}
	if len(call.Kwargs) > 0 {
		m.Set("kwarg", mapOf(call.Kwargs))
	}
	switch {
	case call.JID != "":
		return nil, errJID
	case !ours && call.Timeout > 0:
		m.Set("timeout", call.Timeout.Seconds())
	case ours:
		m.Set("mom_call", value.NewMap("timeout", call.Timeout.Seconds()))
	}
	return m, nil
}

// Runner implements [client.Master].
func (c *Client) Runner(ctx context.Context, fun string, args ...any) (client.Raw, error) {
	return c.CallRunner(ctx, client.RunnerCall{Fun: fun, Args: args})
}

// CallRunner implements [client.Master]. It waits at most Options.CallTime.
func (c *Client) CallRunner(ctx context.Context, call client.RunnerCall) (client.Raw, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	m, err := runnerChunk("runner", call, ours)
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	m.Set("full_return", true)
	if ours {
		m.Set("timeout", int64(c.o.CallTime/time.Second))
	}
	v, err := c.run(ctx, m, c.o.CallTime)
	if e, ok := errors.AsType[*StatusError](err); ok && !ours && e.Status == http.StatusInternalServerError {
		return nil, &client.RunnerError{Fun: call.Fun, Reason: fmt.Sprintf("%s failed and Salt's own API gives no reason (%s): check that the function exists and that this user may call it; see the log of the API", call.Fun, e.Text)}
	}
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	all, _ := v.(*value.Map)
	d := all.Map("data")
	if d == nil {
		if text, ok := v.(string); ok { // Salt's message for a call that did not start
			return nil, &client.RunnerError{Fun: call.Fun, Reason: text}
		}
		return nil, fmt.Errorf("runner %s: the API response has no data", call.Fun)
	}
	if call.Began != nil {
		call.Began(client.Started{JID: d.String("jid"), Tag: strings.TrimSuffix(all.String("tag"), "/ret")})
	}
	if !ours && d.Bool("held") {
		return nil, unfit("runner %s: Salt's own API cannot fetch the result, which is too large for an event or private to its caller; call the runner on the master's machine or through mom api", call.Fun)
	}
	ret, _ := d.Get("return")
	result, err := client.RawOf(ret)
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	if d.Bool("success") {
		return result, nil
	}
	e := &client.RunnerError{Fun: call.Fun, Reason: d.String("error")}
	if e.Reason == "" {
		e.Reason = strings.TrimSpace(fmt.Sprint(ret))
	} else if ret != nil {
		e.Value = result
	}
	return nil, e
}

// StartRunner implements [client.Master].
func (c *Client) StartRunner(ctx context.Context, call client.RunnerCall) (client.Started, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return client.Started{}, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	m, err := runnerChunk("runner_async", call, ours)
	if err != nil {
		return client.Started{}, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	v, err := c.run(ctx, m, c.o.Timeout)
	if err != nil {
		return client.Started{}, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	s, err := startedOf(v)
	if err != nil {
		return s, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	return s, nil
}

// startedOf returns the tag and job id of a call that was started.
func startedOf(v any) (client.Started, error) {
	started, _ := v.(*value.Map)
	s := client.Started{JID: started.String("jid"), Tag: started.String("tag")}
	if s.Tag == "" {
		return s, errors.New("the API response has no tag")
	}
	return s, nil
}

// StartWheel calls a wheel function and does not wait; see [client.Client.StartWheel].
func (c *Client) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error) {
	v, err := c.run(ctx, wheelChunk("wheel_async", fun, kwargs), c.o.Timeout)
	if err != nil {
		return client.Started{}, fmt.Errorf("wheel %s: %w", fun, err)
	}
	s, err := startedOf(v)
	if err != nil {
		return s, fmt.Errorf("wheel %s: %w", fun, err)
	}
	return s, nil
}

func wheelChunk(name, fun string, kwargs map[string]any) *value.Map {
	m := value.NewMap("client", name, "fun", fun)
	for _, name := range slices.Sorted(maps.Keys(kwargs)) {
		m.Set(name, kwargs[name])
	}
	return m
}

// CallWheel implements [client.Master].
func (c *Client) CallWheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error) {
	v, err := c.run(ctx, wheelChunk("wheel", fun, kwargs), c.o.Timeout)
	if err != nil {
		return client.WheelAnswer{}, fmt.Errorf("wheel %s: %w", fun, err)
	}
	all, _ := v.(*value.Map)
	d := all.Map("data")
	if d == nil {
		return client.WheelAnswer{}, fmt.Errorf("wheel %s: the API response has no data", fun)
	}
	data, err := client.RawOf(d)
	if err != nil {
		return client.WheelAnswer{}, fmt.Errorf("wheel %s: %w", fun, err)
	}
	return client.WheelAnswer{Tag: all.String("tag"), Data: data}, nil
}
