package wheels

import "github.com/momtree/mom/master/functions"

func init() {
	Register(Function{Name: "error.error", Args: []string{"name=", "message="}, Run: functions.Fail[Env], Doc: `
Fails, to test how programs handle it. Without a name it returns an empty mapping.

name
    The name of a Python exception.
message
    Its message.

    wheel.cmd('error.error', ['Exception', 'This is an error.'])
`})
}
