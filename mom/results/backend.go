package results

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/returners/mysql"
)

// Backend is the [api.Backend].
type Backend struct {
	store  *mysql.Store
	auth   *auth.Service
	logins access.Logins
	rules  *access.List
	conf   *config.Master
	log    *slog.Logger
}

var _ api.Backend = (*Backend)(nil)

// Open reads the logins and the address of the database. It does not connect: an unreachable database
// shows in the first request.
func Open(conf *config.Master, log *slog.Logger) (*Backend, error) {
	o, err := mysql.OptionsFrom(conf.Raw, "")
	if err != nil {
		return nil, fmt.Errorf("api_results: %w", err)
	}
	o.ReadOnly, o.Log = true, log
	start := conf.AclMatch == config.AclMatchStart
	b := &Backend{conf: conf, log: log, rules: access.New(access.Options{Nodegroups: conf.Nodegroups, Start: start, Log: log})}
	b.logins.Rules = access.NewExternal(access.ExternalOptions{
		Auth: conf.ExternalAuth, Permissive: conf.PermissiveAcl, KeepACL: conf.KeepAclInToken, Nodegroups: conf.Nodegroups, Start: start, Log: log,
	})
	if b.auth, err = auth.New(auth.Options{Config: conf, Rules: b.logins.Rules.For, Log: log}); err != nil {
		return nil, fmt.Errorf("api_results: %w", err)
	}
	if len(conf.ExternalAuth) == 0 {
		log.Warn("external_auth is empty, no user can log in")
	}
	b.logins.Auth = b.auth
	if b.store, err = mysql.Open(context.Background(), o); err != nil {
		return nil, fmt.Errorf("api_results: %w", err)
	}
	return b, nil
}

// Run removes expired tokens until ctx ends.
func (b *Backend) Run(ctx context.Context) { b.auth.Run(ctx) }

// Close closes the database.
func (b *Backend) Close() error { return b.store.Close() }

// Ping returns an error if the database does not answer.
func (b *Backend) Ping(ctx context.Context) error { return b.store.Ping(ctx) }

// MakeToken implements [api.Backend].
func (b *Backend) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (api.Token, error) {
	t, err := b.auth.Login(ctx, credentials(l), expire)
	if errors.Is(err, auth.ErrDenied) || errors.Is(err, auth.ErrBusy) { // the log has the reason
		return api.Token{}, refused("EauthAuthenticationError", "Could not authenticate using provided credentials")
	}
	if err != nil {
		return api.Token{}, err
	}
	return b.shown(t), nil
}

// Token implements [api.Backend].
func (b *Backend) Token(ctx context.Context, id string) (api.Token, error) {
	t, err := b.auth.Token(ctx, id)
	if errors.Is(err, auth.ErrNoToken) {
		return api.Token{}, api.ErrNoToken
	}
	if err != nil {
		return api.Token{}, err
	}
	return b.shown(t), nil
}

func (b *Backend) shown(t auth.Token) api.Token {
	return api.Token{
		Token: t.Token, Name: t.Name, Eauth: t.Eauth, Start: t.Start, Expire: t.Expire, Groups: t.Groups,
		Perms: b.logins.Rules.TokenRules(t.AuthList, t.Eauth, t.Name, t.Groups),
	}
}

// RevokeToken implements [api.Backend].
func (b *Backend) RevokeToken(ctx context.Context, id string) error {
	if err := b.auth.Revoke(ctx, id); !errors.Is(err, auth.ErrNoToken) {
		return err
	}
	return nil
}

// As implements [api.Backend].
func (b *Backend) As(l client.Login) api.Session { return &session{b, l} }

// Events implements [api.Backend].
func (b *Backend) Events(context.Context) (api.Events, error) { return nil, api.ErrNoMaster }

// JobUsers implements [api.Backend]. It is used for events only.
func (b *Backend) JobUsers(context.Context, []string) (map[string]string, error) {
	return nil, api.ErrNoMaster
}

// Fire implements [api.Backend].
func (b *Backend) Fire(context.Context, string, any) error { return api.ErrNoMaster }

func credentials(l client.Login) auth.Credentials {
	return auth.Credentials{Eauth: l.Eauth, Username: l.Username, Password: l.Password, From: l.From, Prompt: true}
}

func refused(name, message string) error { return &client.Refused{Name: name, Message: message} }
