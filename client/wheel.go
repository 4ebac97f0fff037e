package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// WheelError is a wheel function that failed.
type WheelError struct {
	Fun    string
	Reason string // what the master says of the failure
}

func (e *WheelError) Error() string { return e.Reason }

// Wheel calls a wheel function, such as key.accept with the keyword argument
// match, and gives its result. A function that failed gives a [*WheelError].
func (c *Client) Wheel(ctx context.Context, fun string, kwargs *wire.Map) (any, error) {
	load := wire.NewMap("cmd", "wheel", "fun", fun)
	kwargs.Range(func(k, v any) bool {
		load.Set(k, v)
		return true
	})
	reply, err := c.send(ctx, load)
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
	return v, nil
}
