package runners

import (
	"github.com/momtree/mom/master/functions"
)

func init() {
	Register(Function{
		Name: "error.error", Args: []string{"name=", "message="}, Run: functions.Fail[Env], Doc: `
Fail, to test how programs handle it. Without a name it returns an empty mapping.

name
    The name of a Python exception.
message
    Its message.

    salt-run error.error
    salt-run error.error name=Exception message='This is an error.'
`,
	})
}
