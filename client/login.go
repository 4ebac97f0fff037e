package client

import "github.com/momtree/mom/internal/wire"

// Login is who asks a master that has external_auth, in place of a key file: a token,
// or a name and password with the system that knows them. With a Token the rest does
// not count.
type Login struct {
	Token                     string
	Eauth, Username, Password string
	// From is the address that a login comes from, without a port, where the program that
	// uses the client asks for somebody else, such as the REST API: the master slows
	// failed logins down by it. It counts only if the client can read the key of the user
	// that the master runs as. Default: the address of this client.
	From string
}

// As gives a client that asks under a login. It shares the connection of c: closing
// either closes both.
func (c *Client) As(l Login) *Client {
	other := *c
	other.login = &l
	return &other
}

// vouch names the address that a login comes from, and shows the key by which the master
// believes that. Without such a key it leaves the login to come from here.
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

// put writes the login where Salt's clients do: of a publication into its kwargs.
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
