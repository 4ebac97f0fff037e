package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// WheelAnswer is the result of a wheel function.
type WheelAnswer struct {
	// Tag is the prefix of its event tags: the result is the event Tag + "/ret".
	Tag string
	// Data is the master's report of the call, a map: fun, jid, tag, user, _stamp, return and
	// success.
	Data Raw
}

// CallWheel calls a wheel function and returns the master's report, whether or not the function
// failed. A refused call is a [*Refused].
func (c *Client) CallWheel(ctx context.Context, fun string, kwargs map[string]any) (WheelAnswer, error) {
	reply, err := c.wheel(ctx, fun, kwargs)
	if err != nil {
		return WheelAnswer{}, err
	}
	data, err := RawOf(reply.Map("data"))
	if err != nil {
		return WheelAnswer{}, fmt.Errorf("wheel %s: %w", fun, err)
	}
	return WheelAnswer{Tag: reply.String("tag"), Data: data}, nil
}

// StartWheel calls a wheel function and does not wait. The result is the event Tag + "/ret";
// results for the caller alone, such as private keys, are omitted. A refused call is a
// [*Refused].
func (c *Client) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (Started, error) {
	reply, err := c.send(ctx, sorted(wire.NewMap("cmd", "wheel", "fun", fun, "async", true), kwargs))
	if err != nil {
		return Started{}, fmt.Errorf("wheel %s: %w", fun, err)
	}
	s := Started{JID: reply.String("jid"), Tag: reply.String("tag")}
	if s.JID == "" || s.Tag == "" {
		return Started{}, fmt.Errorf("wheel %s: the master's answer names no tag", fun)
	}
	return s, nil
}

func (c *Client) wheel(ctx context.Context, fun string, kwargs map[string]any) (*wire.Map, error) {
	reply, err := c.send(ctx, sorted(wire.NewMap("cmd", "wheel", "fun", fun), kwargs))
	if err != nil {
		return nil, fmt.Errorf("wheel %s: %w", fun, err)
	}
	if reply.Map("data") == nil {
		return nil, fmt.Errorf("wheel %s: the master's answer has no data", fun)
	}
	return reply, nil
}

// Wheel calls a wheel function, such as key.accept with the keyword argument match, and returns
// its result. It returns a [*WheelError] if the function failed and a [*Refused] if the master
// refused the call.
func (c *Client) Wheel(ctx context.Context, fun string, kwargs map[string]any) (Raw, error) {
	reply, err := c.wheel(ctx, fun, kwargs)
	if err != nil {
		return nil, err
	}
	d := reply.Map("data")
	v, _ := d.Get("return")
	if !d.Bool("success") {
		return nil, &WheelError{Fun: fun, Reason: fmt.Sprint(v)}
	}
	result, err := RawOf(v)
	if err != nil {
		return nil, fmt.Errorf("wheel %s: %w", fun, err)
	}
	return result, nil
}
