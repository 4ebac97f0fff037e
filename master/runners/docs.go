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
The documentation of execution functions, merged from all queried minions. Without a
target it queries twenty minions of the tree, some of each version, because minions of one
version have the same functions.

tgt, tgt_type : glob
    The minions to query.

    salt-run doc.execution
    salt-run doc.execution tgt='web*'
`},
	)
}
