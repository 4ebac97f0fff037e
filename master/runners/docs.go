package runners

import (
	"context"

	"github.com/momtree/mom/master/wheels"
)

func init() {
	Register(
		Function{Name: "doc.runner", Run: func(context.Context, *Call) (any, error) { return registry.Docs(), nil }, Doc: `
The documentation of all runner functions.

    salt-run doc.runner
`},
		Function{Name: "doc.wheel", Run: func(context.Context, *Call) (any, error) { return wheels.Docs(), nil }, Doc: `
The documentation of all wheel functions.

    salt-run doc.wheel
`},
	)
}
