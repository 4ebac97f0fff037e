// Package above sends requests to the master above: files, pillars and other sealed commands of
// port 4506.
//
// A node is a master and a forwarder in one process. The forwarder has a sealed connection to each
// master above, under the node's accepted key. Package master cannot import the forwarder, so it
// uses a [Link], which the process connects with [Link.Connect]. The Link of a top stays
// unconnected and returns [ErrTop].
//
// A load holds the fields of the command, including "cmd". The forwarder adds id, tok, nonce and
// time, so the master above sees a request of this node. A command on behalf of a minion names it
// in a field of its own, and the handler above checks that the node owns it (server.Node and the
// ownership policy). The answer is returned undecoded. A Link does not cache or merge requests;
// callers may (master/files/upstream does).
package above
