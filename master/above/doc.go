// Package above is how a master asks the master above it what a minion asks its own: the
// files of the file server, pillars, and whatever else is a sealed command of port 4506.
//
// A node of the tree is a master and a forwarder in one process. The forwarder has a
// sealed connection to each master above, under the key by which those have accepted the
// node, and package master may not know the forwarder; so [Link] is what a master has, and
// whoever puts a node together fills it in with [Link.Connect]. A top has a Link that
// nothing is connected to: each question is answered by [ErrTop].
//
// A load is the fields of the command ("cmd" and what belongs to it). "id", "tok", nonce
// and time are added on the way up, so the master above sees a request of this node: a
// command that speaks for a minion of this node has to name that in a field of its own,
// and the handler above has to hold it to what the node owns (server.Node and the
// ownership policy). The answer is the value, undecoded, as the master above has sealed
// it; nothing is kept here, and nothing is joined: who asks the same often keeps the
// answer (master/files/upstream does).
package above
