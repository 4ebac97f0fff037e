package runners

import (
	"github.com/momtree/mom/master/functions"
)

func init() {
	Register(Function{
		Name: "error.error", Args: []string{"name=", "message="}, Run: functions.Fail[Env], Doc: `
Fail, to see how programs take it. Without a name it gives an empty mapping.

name
    The name of an exception of Python's.
message
    What it says.

    salt-run error.error
    salt-run error.error name=Exception message='This is an error.'
`,
	})
}
