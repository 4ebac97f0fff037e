package client

import "github.com/momtree/mom/internal/wire"

// Login is who asks a master that has external_auth, in place of a key file: a token,
// or a name and password with the system that knows them. With a Token the rest does
// not count.
type Login struct {
	Token                     string
	Eauth, Username, Password string
}

// As gives a client that asks under a login. It shares the connection of c: closing
// either closes both.
func (c *Client) As(l Login) *Client {
	other := *c
	other.login = &l
	return &other
}

// put writes the login where Salt's clients do: of a publication into its kwargs.
func (l *Login) put(load *wire.Map) {
	load.Set("key", "")
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
