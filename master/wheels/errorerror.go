package wheels

import "github.com/momtree/mom/master/functions"

func init() {
	Register(Function{Name: "error.error", Args: []string{"name=", "message="}, Run: functions.Fail[Env], Doc: `
Fails, to see how programs take it. Without a name it gives an empty mapping.

name
    The name of an exception of Python's.
message
    What it says.

    wheel.cmd('error.error', ['Exception', 'This is an error.'])
`})
}
