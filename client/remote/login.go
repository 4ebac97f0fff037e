package remote

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// Login has the master make a token. expire is how long it is to live, in whole seconds; 0
// leaves that to the master. A login that is not right gives a [*client.Refused] with the
// name EauthAuthenticationError.
func (c *Client) Login(ctx context.Context, l client.Login, expire time.Duration) (client.Token, error) {
	m := value.NewMap("username", l.Username, "password", l.Password, "eauth", l.Eauth)
	if expire > 0 {
		m.Set("token_expire", int64(expire/time.Second))
	}
	body, err := document(m)
	if err != nil {
		return client.Token{}, errors.New("log in: the name or the password is no text in UTF-8")
	}
	v, err := c.With("").ask(ctx, question{method: http.MethodPost, path: "/login", body: body, limit: smallAnswer, time: c.o.Timeout})
	if refused(err) {
		return client.Token{}, &client.Refused{Name: "EauthAuthenticationError", Message: "Could not authenticate using provided credentials"}
	}
	if err != nil {
		return client.Token{}, fmt.Errorf("log in: %w", err)
	}
	t, err := tokenOf(v)
	if err != nil || t.Token == "" {
		return client.Token{}, fmt.Errorf("log in: %s gives no token; is it an API?", c.base)
	}
	return t, nil
}

// Holder tells whose token the client shows, with the rules that hold for it. One that is
// unknown, revoked or past its time gives a [*client.Refused]. Salt's own API cannot tell.
func (c *Client) Holder(ctx context.Context) (client.Token, error) {
	v, err := c.ask(ctx, question{method: http.MethodGet, path: "/whoami", limit: smallAnswer, time: c.o.Timeout})
	if err != nil {
		return client.Token{}, fmt.Errorf("look up the token: %w", err)
	}
	t, err := tokenOf(v)
	if err != nil || t.Name == "" {
		return client.Token{}, fmt.Errorf("look up the token: %s does not tell whose it is", c.base)
	}
	t.Token = c.token
	return t, nil
}

// Logout ends the token, everywhere and at once. One that is unknown is no error.
func (c *Client) Logout(ctx context.Context) error {
	_, err := c.ask(ctx, question{method: http.MethodPost, path: "/logout", limit: smallAnswer, time: c.o.Timeout})
	if refused(err) {
		return nil
	}
	return err
}

// Ping asks whether the master answers, which needs no login.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, question{method: http.MethodGet, path: "/health", limit: smallAnswer, time: c.o.Timeout})
	return err
}

// tokenOf reads a token as a login shows it.
func tokenOf(v any) (client.Token, error) {
	m, _ := v.(*value.Map)
	list := m.List("return")
	if len(list) != 1 {
		return client.Token{}, errors.New("it is no token")
	}
	t, ok := list[0].(*value.Map)
	if !ok {
		return client.Token{}, errors.New("it is no token")
	}
	return client.Token{
		Token: t.String("token"), Name: t.String("user"), Eauth: t.String("eauth"),
		Start: unix(t.Float("start")), Expire: unix(t.Float("expire")), Perms: t.List("perms"), Groups: t.Strings("groups"),
	}, nil
}

// unix is a time in seconds since 1970; the zero time for one that is none.
func unix(f float64) time.Time {
	if !(f > 0) || f > 1e11 {
		return time.Time{}
	}
	whole, part := math.Modf(f)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}
