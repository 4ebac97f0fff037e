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
		Function{Name: "doc.execution", Args: []string{"tgt=", "tgt_type="}, Run: docExecution, Doc: `
The documentation of the functions of minions, of all that are asked put together. Without
a target twenty minions of the tree are asked, some of each version that there is, for
those of one version have the same functions.

tgt, tgt_type : glob
    The minions to ask.

    salt-run doc.execution
    salt-run doc.execution tgt='web*'
`},
	)
}
