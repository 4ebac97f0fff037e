package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// WheelAnswer is how a call of a wheel function ended.
type WheelAnswer struct {
	// Tag is where the call is on the event bus: what it returned is the event Tag +
	// "/ret".
	Tag string
	// Data is what the master says of the call, a map: fun, jid, tag, user, _stamp,
	// return and success.
	Data Raw
}

// CallWheel calls a wheel function and gives all that the master says of it, whether the
// function failed or not. A refusal gives a [*Refused].
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

// StartWheel calls a wheel function without waiting. What it returns will be the event Tag
// + "/ret", but what is for its caller alone, such as a private key. A refusal gives a
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

// Wheel calls a wheel function, such as key.accept with the keyword argument
// match, and gives its result. A function that failed gives a [*WheelError], a refusal
// a [*Refused].
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
