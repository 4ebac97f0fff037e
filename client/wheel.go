package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Wheel calls a wheel function, such as key.accept with the keyword argument
// match, and gives its result. A function that failed gives a [*WheelError], a refusal
// a [*Refused].
func (c *Client) Wheel(ctx context.Context, fun string, kwargs map[string]any) (Raw, error) {
	reply, err := c.send(ctx, sorted(wire.NewMap("cmd", "wheel", "fun", fun), kwargs))
	if err != nil {
		return nil, fmt.Errorf("wheel %s: %w", fun, err)
	}
	d := reply.Map("data")
	if d == nil {
		return nil, fmt.Errorf("wheel %s: the master's answer has no data", fun)
	}
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
