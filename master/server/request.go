package server

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// Request is an authorized request.
type Request struct {
	Cmd  string
	Load wire.Raw
	Peer *zmtp.Peer
	// Version is the protocol version, 0 to 3.
	Version int

	// User, in clear, is the owner of the key; "" without a key.
	User string
	// Login, in clear, is the user of a token or a password; nil with a key. Only commands with
	// [Command.Logins] get one.
	Login *Login
	// From is the source address of the login; see [Server.From].
	From string

	// ID, if encrypted, is the sender: authenticated since version 3, claimed before.
	ID    string
	Nonce string
	// Proven is set if the request has a valid tok of the key of ID.
	Proven bool
	// Deep is set if a field of the load may nest deeper than the bound depth.
	Deep bool
	// EncAlgo and SigAlgo are the algorithms that the sender requests for its answer; "" means the
	// master's choice.
	EncAlgo, SigAlgo string
}
