// Package saltkey is the command salt-key: it shows keys (show.go), changes what they
// may (change.go) and makes key pairs and signatures (pairs.go), in the files of the
// master, whether it runs or not. Who runs it as root works as the master's user.
package saltkey
