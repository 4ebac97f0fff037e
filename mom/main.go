// Command mom is Salt's control plane in one binary: the daemons (master, minion,
// syndic), the commands of their users (salt, salt-key, salt-run, salt-call) and
// views of the tree. Called by one of Salt's names, through a link for instance,
// it is that command.
//
// Each command is made by the package of its name beside this file, mom tree by
// mom/tree and salt-key by mom/saltkey. Only master, minion and syndic, which share
// most of what they are as commands, are in mom/daemons, and mom seed is seed.go.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
