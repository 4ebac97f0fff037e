package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Token is a login that a master remembers until it expires (Salt wire reference §12.3).
type Token struct {
	Token, Name, Eauth string
	Start, Expire      time.Time
	// Perms are the access rules of the user, in Salt's form, if the master reports them.
	Perms  []any
	Groups []string
}

// refusedToken is the refusal of a master that gives no reason.
func refusedToken(name, message string) error { return &Refused{Name: name, Message: message} }

// MakeToken requests a token for a login. expire is its lifetime in whole seconds; 0 leaves it
// to the master, which may also grant less. Wrong credentials are a [*Refused] with the name
// EauthAuthenticationError.
func (c *Client) MakeToken(ctx context.Context, l Login, expire time.Duration) (Token, error) {
	load := wire.NewMap("cmd", "mk_token", "eauth", l.Eauth, "username", l.Username, "password", l.Password)
	if expire > 0 {
		load.Set("token_expire", int64(expire/time.Second))
	}
	if l.From != "" {
		c.vouch(load, &l)
	}
	return c.askToken(ctx, load, refusedToken("EauthAuthenticationError", "Could not authenticate using provided credentials"))
}

// Token looks up a token. An unknown or expired token is a [*Refused] with the name
// TokenAuthenticationError.
func (c *Client) Token(ctx context.Context, id string) (Token, error) {
	return c.askToken(ctx, wire.NewMap("cmd", "get_token", "token", id), refusedToken("TokenAuthenticationError", "The token is unknown or has expired"))
}

// RevokeToken ends a token before it expires. An unknown token is not an error. A Python master
// has no such command.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	reply, err := c.askLoad(ctx, c.o.Timeout, wire.NewMap("cmd", "revoke_token", "token", id))
	if err != nil {
		return fmt.Errorf("revoke_token: %w", err)
	}
	if m, ok := reply.(*value.Map); ok {
		if r := refusedOf(m); r != nil {
			return fmt.Errorf("revoke_token: %w", r)
		}
	}
	return nil
}

// askToken sends a command whose reply is a token or empty.
func (c *Client) askToken(ctx context.Context, load *wire.Map, refused error) (Token, error) {
	cmd := load.String("cmd")
	v, err := c.askLoad(ctx, c.o.Timeout, load)
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", cmd, err)
	}
	m, ok := v.(*value.Map)
	if !ok {
		return Token{}, fmt.Errorf("%s: %w", cmd, refused)
	}
	if r := refusedOf(m); r != nil {
		return Token{}, fmt.Errorf("%s: %w", cmd, r)
	}
	if m.String("token") == "" {
		return Token{}, fmt.Errorf("%s: %w", cmd, refused)
	}
	t := Token{
		Token: m.String("token"), Name: m.String("name"), Eauth: m.String("eauth"),
		Start: unixTime(m.Float("start")), Expire: unixTime(m.Float("expire")), Perms: permsOf(m), Groups: m.Strings("groups"),
	}
	if t.Name == "" {
		return Token{}, errors.New(cmd + ": the master's answer names no user")
	}
	return t, nil
}

// permsOf returns the rules of a token. A Python master reports only the rules that it stores.
func permsOf(m *wire.Map) []any {
	if m.Has("perms") {
		return m.List("perms")
	}
	return m.List("auth_list")
}

func unixTime(f float64) time.Time {
	whole, part := math.Modf(f)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}
