package runnerenv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/runners"
)

// MakeToken creates a token, like the command mk_token.
func (e Env) MakeToken(ctx context.Context, l runners.Login, life time.Duration) (*wire.Map, error) {
	t, err := e.p.Logins.Login(ctx, auth.Credentials{Eauth: l.Eauth, Username: l.Username, Password: l.Password, From: "auth.mk_token"}, life)
	q := access.Asked{Kind: "login", Door: "runner", User: l.Username, Eauth: l.Eauth, Allowed: err == nil}
	if err != nil {
		q.Reason = err.Error()
		e.p.Audit.Note(q)
		return nil, fmt.Errorf("auth.mk_token: %w", err)
	}
	q.User = t.Name
	e.p.Audit.Note(q)
	return commands.ShownToken(e.p.Control.External, t), nil
}

// DeleteToken invalidates a token.
func (e Env) DeleteToken(ctx context.Context, id string) (bool, error) {
	err := e.p.Logins.Revoke(ctx, id)
	if errors.Is(err, auth.ErrNoToken) {
		return false, nil
	}
	return err == nil, err
}
