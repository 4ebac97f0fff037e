// Package server is the request server on port 4506 of a master: everything between a connection
// and the handler of a command.
//
// [zmtp.Router] passes each request to [Server.Receive], which decodes the envelope and selects one
// of three lanes: clear commands (clear.go); costly clear commands, which wait for a limited number
// of workers (costly.go); and encrypted commands of minions and nodes (sealed.go, unseal.go), whose
// answers are encrypted (reply.go).
//
// A command is a [Command], which declares its name, arguments, documentation and access rule
// ([Who]), and a [Handler]. Each has its own file, which registers it in a [Set] at program start.
// A master adds the commands of a set with the parts they use. The server enforces the rule before
// it calls the handler. It also refuses loads with too many values (limits.go).
package server
