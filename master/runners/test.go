package runners

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

func init() {
	Register(
		Function{Name: "test.arg", Args: []string{"*"}, AnyKwargs: true, Run: func(_ context.Context, c *Call) (any, error) {
			return wire.NewMap("args", append([]any{}, c.Args...), "kwargs", c.Kwargs), nil
		}, Doc: `
Gives back the arguments, to see how they are understood.

    salt-run test.arg foo bar=1
`},
		Function{Name: "test.sleep", Args: []string{"s_time="}, Run: func(ctx context.Context, c *Call) (any, error) {
			d, err := c.Seconds("s_time", 10*time.Second)
			if err != nil {
				return nil, err
			}
			err = sleep.For(ctx, d)
			return err == nil, err
		}, Doc: `
Waits and gives True.

s_time : 10
    How many seconds.

    salt-run test.sleep 3
`},
	)
}
