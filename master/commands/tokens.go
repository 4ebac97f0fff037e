package commands

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/server"
)

// Tokens are issued to users of login services for their password (Salt wire reference §12.3).
type Tokens interface {
	// Login creates a token. A life of 0 means the option token_expire.
	Login(ctx context.Context, c auth.Credentials, life time.Duration) (auth.Token, error)
	// Token returns a token; Revoke invalidates it.
	Token(ctx context.Context, id string) (auth.Token, error)
	Revoke(ctx context.Context, id string) error
}

func init() {
	Register(server.Command{
		Name: "mk_token", Who: server.Anyone, Args: []string{"eauth", "username", "password", "token_expire"},
		Doc: `
Creates a token for a user of a login service (external_auth).

eauth, username, password
    The service, and the credentials.
token_expire
    The lifetime of the token in seconds, for users who may choose it
    (token_expire_user_override).
`,
	}, func(p *Parts) server.Handler { return newTokens(p).make })
	Register(server.Command{
		Name: "get_token", Who: server.Anyone, Args: []string{"token"}, Doc: `
Returns a token: its user and its expiry.

token
    The token.
`,
	}, func(p *Parts) server.Handler { return newTokens(p).get })
	Register(server.Command{
		Name: "revoke_token", Who: server.Anyone, Args: []string{"token"}, Doc: `
Revokes a token, at logout. A mom command.

token
    The token.
`,
	}, func(p *Parts) server.Handler { return newTokens(p).revoke })
}

type tokens struct {
	server *server.Server
	tokens Tokens
	rules  *access.External
	audit  func(access.Asked)
}

func newTokens(p *Parts) tokens { return tokens{p.Server, p.Tokens, p.Access.External, p.Audit} }

// make answers with an empty string if the login fails, as Salt does.
func (c tokens) make(ctx context.Context, r *server.Request) (any, error) {
	p, life, err := server.ReadProof(r)
	if err != nil {
		return nil, err
	}
	addr, vouched := c.server.Vouched(r)
	p.From = addr
	t, err := c.tokens.Login(ctx, auth.Credentials{Eauth: p.Eauth, Username: p.Username, Password: p.Password, From: p.From, Prompt: vouched}, life)
	q := access.Asked{Kind: "login", Door: "eauth", User: p.Username, Eauth: p.Eauth, From: p.From, Allowed: err == nil}
	if err != nil {
		q.Reason = err.Error()
		c.audit(q)
		c.server.RefusedUser("mk_token: "+err.Error(), p.Username, "")
		return "", nil
	}
	q.User = t.Name
	c.audit(q)
	return c.shown(t), nil
}

// get answers with an empty map if the token does not exist.
func (c tokens) get(ctx context.Context, r *server.Request) (any, error) {
	p, _, err := server.ReadProof(r)
	if err != nil {
		return nil, err
	}
	t, err := c.tokens.Token(ctx, p.Token)
	if errors.Is(err, auth.ErrNoToken) {
		return wire.NewMap(), nil
	}
	if err != nil {
		return nil, err
	}
	return c.shown(t), nil
}

// revoke answers whether the token existed.
func (c tokens) revoke(ctx context.Context, r *server.Request) (any, error) {
	p, _, err := server.ReadProof(r)
	if err != nil {
		return nil, err
	}
	//mutant:revoked-token-is-void
	err = c.tokens.Revoke(ctx, p.Token)
	if errors.Is(err, auth.ErrNoToken) {
		return false, nil
	}
	return err == nil, err
}

func (c tokens) shown(t auth.Token) *wire.Map { return ShownToken(c.rules, t) }

// ShownToken returns a token in Salt's form, with the permissions of its user under perms.
func ShownToken(rules *access.External, t auth.Token) *wire.Map {
	seconds := func(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }
	m := wire.NewMap("start", seconds(t.Start), "expire", seconds(t.Expire), "name", t.Name, "eauth", t.Eauth, "token", t.Token)
	m.Set("perms", rules.TokenRules(t.AuthList, t.Eauth, t.Name, t.Groups))
	if t.AuthList != nil {
		m.Set("auth_list", t.AuthList)
	}
	if len(t.Groups) > 0 {
		groups := make([]any, len(t.Groups))
		for i, g := range t.Groups {
			groups[i] = g
		}
		m.Set("groups", groups)
	}
	return m
}
