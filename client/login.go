package client

import "github.com/momtree/mom/internal/wire"

// Login authenticates a request at a master with external_auth, in place of a key file: by a
// token, or by a name and password and the eauth system that checks them. If Token is set, the
// other fields are ignored.
type Login struct {
	Token                     string
	Eauth, Username, Password string
	// From is the address of the user, without a port, for a program that acts for remote
	// users, such as the REST API. The master delays failed logins by it. It is honoured only
	// if the client can read the key of the user that the master runs as. Default: the
	// address of this client.
	From string
}

// As returns a client that authenticates with a login. It shares the connection of c: closing
// either closes both.
func (c *Client) As(l Login) *Client {
	other := *c
	other.login = &l
	return &other
}

// vouch adds the address of the user and the key by which the master trusts it. Without a
// key the master uses the address of this client.
func (c *Client) vouch(load *wire.Map, l *Login) {
	load.Set("key", "")
	if l.From == "" {
		return
	}
	if key, err := c.key(); err == nil {
		load.Set("key", key)
		load.Set("from", l.From)
	}
}

// put writes the login where Salt's clients do: for a publication, into its kwargs.
func (l *Login) put(load *wire.Map) {
	in := load
	if load.String("cmd") == "publish" {
		in = load.Map("kwargs")
	}
	if l.Token != "" {
		in.Set("token", l.Token)
		return
	}
	in.Set("eauth", l.Eauth)
	in.Set("username", l.Username)
	in.Set("password", l.Password)
}
