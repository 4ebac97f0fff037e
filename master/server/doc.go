// Package server is port 4506 of a master: what is between a connection and the
// handler of a command.
//
// [zmtp.Router] hands each request to [Server.Receive], which reads the envelope and
// sends it down one of three lanes: commands in clear (clear.go), among them the costly
// ones that wait for few workers (costly.go), and sealed commands of minions and nodes
// (sealed.go, unseal.go), whose answers are sealed in turn (reply.go).
//
// A command is a [Command], which says its name, its arguments, what it does and [Who]
// may give it, and a [Handler]. Each stands in a file of its own, which enters it into a
// [Set] when the program starts; a master takes the commands of a set with the parts
// that they work on. The rule is the server's to keep: a handler is not called for
// anybody whom its command is not for. Neither does it see a load with more values than
// may be worked on at once (limits.go).
package server
