package access

import (
	"context"
	"errors"

	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/server"
)

// Logins identifies users of login services (package auth) and returns their rules (external_auth).
type Logins struct {
	Auth interface {
		Authenticate(ctx context.Context, c auth.Credentials) (auth.Identity, error)
		Token(ctx context.Context, id string) (auth.Token, error)
		// Expand replaces what the login service alone understands in rules.
		Expand(ctx context.Context, eauth string, rules []any) ([]any, error)
	}
	Rules *External
}

var _ server.Logins = Logins{}

// errNothing is the error for a user who matches no entry any more: the configuration changed after
// the token was created.
var errNothing = errors.New("external_auth allows this user nothing")

// Identify returns the user of a token, or of a name and a password.
func (l Logins) Identify(ctx context.Context, p server.Proof) (server.Login, error) {
	var out server.Login
	if p.Token != "" {
		t, err := l.Auth.Token(ctx, p.Token)
		if err != nil {
			return out, err
		}
		out = server.Login{Name: t.Name, Eauth: t.Eauth, Groups: t.Groups}
		out.Rules = l.Rules.TokenRules(t.AuthList, t.Eauth, t.Name, t.Groups)
	} else {
		id, err := l.Auth.Authenticate(ctx, auth.Credentials{Eauth: p.Eauth, Username: p.Username, Password: p.Password, From: p.From})
		if err != nil {
			return out, err
		}
		out = server.Login{Name: id.Name, Eauth: p.Eauth, Groups: id.Groups, Rules: l.Rules.For(p.Eauth, id)}
	}
	rules, err := l.Auth.Expand(ctx, out.Eauth, out.Rules)
	if err != nil {
		return server.Login{}, err
	}
	if out.Rules = rules; len(out.Rules) == 0 {
		return server.Login{}, errNothing
	}
	return out, nil
}
