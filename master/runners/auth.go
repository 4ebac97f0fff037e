package runners

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Login holds the credentials of a user of a login service.
type Login struct{ Eauth, Username, Password string }

// Tokens is an [Env] of a master that issues tokens for logins.
type Tokens interface {
	// MakeToken returns a new token in Salt's form. A life of 0 means the option token_expire.
	MakeToken(ctx context.Context, l Login, life time.Duration) (*wire.Map, error)
	// DeleteToken reports whether the token existed.
	DeleteToken(ctx context.Context, id string) (bool, error)
}

func init() {
	Register(
		Function{Name: "auth.mk_token", Args: []string{"username=", "password=", "eauth=", "token_expire="}, Private: true, Run: makeToken, Doc: `
Create a token for a user of a login service (external_auth). Neither the password nor the
token is on the event bus.

username, password, eauth
    The user, and the login service.
token_expire
    The lifetime of the token in seconds, for users who may choose it
    (token_expire_user_override).

    salt-run auth.mk_token username=saltdev password=saltdev eauth=auto
`},
		Function{Name: "auth.del_token", Args: []string{"token"}, Private: true, Run: deleteToken, Doc: `
Revoke a token. Returns whether it existed.

token
    The token.

    salt-run auth.del_token 6556760736e4077daa601baec2b67c24
`},
	)
}

var errNoTokens = errors.New("this master gives no tokens")

// maxLife limits the requested life of a token, as at port 4506.
const maxLife = 10 * 365 * 24 * time.Hour

func makeToken(ctx context.Context, c *Call) (any, error) {
	t, ok := c.Env.(Tokens)
	if !ok {
		return nil, errNoTokens
	}
	life, err := c.Seconds("token_expire", 0)
	if err != nil {
		return nil, err
	}
	if life != 0 && life < time.Second || life > maxLife {
		return nil, invalid("token_expire is a number of seconds from 1 to %d", int64(maxLife/time.Second))
	}
	l := Login{Eauth: c.Text("eauth"), Username: c.Text("username"), Password: c.Text("password")}
	if l.Eauth == "" {
		return nil, invalid("eauth must be a login service of external_auth")
	}
	made, err := t.MakeToken(ctx, l, life)
	if err != nil {
		return nil, err
	}
	return made, nil
}

func deleteToken(ctx context.Context, c *Call) (any, error) {
	t, ok := c.Env.(Tokens)
	if !ok {
		return nil, errNoTokens
	}
	return t.DeleteToken(ctx, c.Text("token"))
}
