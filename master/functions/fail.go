package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/value"
)

// Fail is the function error.error. It fails with the arguments name and message, so that
// developers can test error handling. Without a name it returns an empty map.
func Fail[E any](_ context.Context, c *Call[E]) (any, error) {
	name := c.Text("name")
	if name == "" {
		return value.NewMap(), nil
	}
	if text := c.Text("message"); text != "" {
		return nil, fmt.Errorf("%s: %s", name, text)
	}
	return nil, errors.New(name)
}
