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

// Login requests a token from the master. expire is its lifetime in whole seconds; 0 leaves it to
// the master. Wrong credentials are a [*client.Refused] with the name
// EauthAuthenticationError.
func (c *Client) Login(ctx context.Context, l client.Login, expire time.Duration) (client.Token, error) {
	body, err := loginBody(l, expire)
	if err != nil {
		return client.Token{}, err
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
		return client.Token{}, fmt.Errorf("log in: %s returned no token; is this the address of an API?", c.URL())
	}
	if c.route.several() { // another address may not know the token
		c.route.loggedIn(l)
	}
	return t, nil
}

func loginBody(l client.Login, expire time.Duration) ([]byte, error) {
	m := value.NewMap("username", l.Username, "password", l.Password, "eauth", l.Eauth)
	if expire > 0 {
		m.Set("token_expire", int64(expire/time.Second))
	}
	body, err := document(m)
	if err != nil {
		return nil, errors.New("log in: name and password must be UTF-8")
	}
	return body, nil
}

// Holder returns the token of the client with its user and access rules. An unknown, revoked or
// expired token is a [*client.Refused]. Salt's own API does not support it.
func (c *Client) Holder(ctx context.Context) (client.Token, error) {
	v, err := c.ask(ctx, question{method: http.MethodGet, path: "/whoami", limit: smallAnswer, time: c.o.Timeout})
	if err != nil {
		return client.Token{}, fmt.Errorf("look up the token: %w", err)
	}
	t, err := tokenOf(v)
	if err != nil || t.Name == "" {
		return client.Token{}, fmt.Errorf("look up the token: %s does not report its user", c.URL())
	}
	t.Token = c.token
	return t, nil
}

// Logout revokes the token at once. An unknown token is not an error.
func (c *Client) Logout(ctx context.Context) error {
	_, err := c.ask(ctx, question{method: http.MethodPost, path: "/logout", limit: smallAnswer, time: c.o.Timeout})
	if refused(err) {
		return nil
	}
	return err
}

// Ping checks that the master answers. It needs no login.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, question{method: http.MethodGet, path: "/health", limit: smallAnswer, time: c.o.Timeout})
	return err
}

// tokenOf parses the token in a login response.
func tokenOf(v any) (client.Token, error) {
	m, _ := v.(*value.Map)
	list := m.List("return")
	if len(list) != 1 {
		return client.Token{}, errors.New("response is not a token")
	}
	t, ok := list[0].(*value.Map)
	if !ok {
		return client.Token{}, errors.New("response is not a token")
	}
	return client.Token{
		Token: t.String("token"), Name: t.String("user"), Eauth: t.String("eauth"),
		Start: unix(t.Float("start")), Expire: unix(t.Float("expire")), Perms: t.List("perms"), Groups: t.Strings("groups"),
	}, nil
}

// unix converts seconds since 1970 to a time; the zero time if f is invalid.
func unix(f float64) time.Time {
	if !(f > 0) || f > 1e11 {
		return time.Time{}
	}
	whole, part := math.Modf(f)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}
