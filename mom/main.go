// Command mom is Salt's control plane in one binary: the daemons (master, minion,
// syndic), the commands of their users (salt, salt-key, salt-run, salt-call) and
// views of the tree. Called by one of Salt's names, through a link for instance,
// it is that command.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
