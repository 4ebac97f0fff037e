package server

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// Request is a request whose sender may give its command.
type Request struct {
	Cmd  string
	Load wire.Raw
	Peer *zmtp.Peer
	// Version is that of the protocol, 0 to 3.
	Version int

	// User is, in clear, whose key came along; "" with none.
	User string
	// Login is, in clear, who gives the command by a token or a password; nil: it came
	// with a key. Only commands that say [Command.Logins] get one.
	Login *Login
	// From is the address that the login comes from; see [Server.From].
	From string

	// ID is, sealed, the sender: authenticated since version 3, claimed before.
	ID    string
	Nonce string
	// Proven tells that a tok was there and opened to "salt" with the key of ID.
	Proven bool
	// Deep tells that some field of the load may nest deeper than the bound depth.
	Deep bool
	// EncAlgo and SigAlgo are the algorithms that the sender wants for what is made for
	// it alone; "" leaves them to the master.
	EncAlgo, SigAlgo string
}
