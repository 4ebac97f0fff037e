package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/momtree/mom/client"
)

// question is an API request.
type question struct {
	method, path string
	query        url.Values
	body         []byte
	limit        int64         // size of the response, in bytes
	time         time.Duration // limit of the request and all retries
	once         bool          // sent with an Idempotency-Key, so that it can be retried
	anywhere     bool          // has the same effect at each address, whichever got it before
}

// movable reports whether a request may be sent to another address after an error.
func (q question) movable(err error) bool {
	return errors.Is(err, errNotSent) || q.anywhere || q.method == http.MethodGet
}

// Retries of requests whose response was lost: attempts and the wait between them.
const (
	sendings = 3
	sendWait = time.Second
)

// ask sends a request, with retries, and returns the decoded response.
func (c *Client) ask(ctx context.Context, q question) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, q.time)
	defer cancel()
	key := ""
	if q.once {
		key = rand.Text()
	}
	base := c.route.base()
	for n := 1; ; n++ {
		v, err := c.sendAs(ctx, q, key, base)
		move := c.route.several() && errors.Is(err, errLost) && q.movable(err)
		if !errors.Is(err, errLost) || !q.once && !move || n >= sendings*len(c.route.bases) || ctx.Err() != nil {
			return v, err
		}
		c.o.Log.Debug("API response lost, retrying", "path", q.path, "err", err)
		if next := c.route.base(); move && next != base {
			base = next
			continue
		}
		t := time.NewTimer(sendWait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, err
		}
	}
}

// errLost means that the connection broke and the outcome of the request is unknown.
var errLost = errors.New("connection lost")

// sendAs is send, with a new login at an address that does not know the token.
func (c *Client) sendAs(ctx context.Context, q question, key string, base *url.URL) (any, error) {
	v, err := c.send(ctx, q, key, base)
	if refused(err) && c.loginAgain(ctx, base) {
		return c.send(ctx, q, key, base)
	}
	return v, err
}

// loginAgain repeats the login at another address than that of the first one.
func (c *Client) loginAgain(ctx context.Context, base *url.URL) bool {
	l, ok := c.route.again(base, c.token)
	if !ok {
		return false
	}
	body, err := loginBody(l, 0)
	if err != nil {
		return false
	}
	v, err := c.With("").send(ctx, question{method: http.MethodPost, path: "/login", body: body, limit: smallAnswer}, "", base)
	if err != nil {
		c.o.Log.Debug("login not accepted at another address", "url", base.String(), "err", err)
		return false
	}
	t, err := tokenOf(v)
	if err != nil || t.Token == "" {
		return false
	}
	c.route.replace(base, c.token, t.Token)
	return true
}

func (c *Client) send(ctx context.Context, q question, key string, base *url.URL) (any, error) {
	r, err := c.request(ctx, base, q.method, q.path, q.query, q.body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/vnd.mom+json, application/json;q=0.9")
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		//mutant:remote-requests-once
		r.Header.Set("Idempotency-Key", key)
	}
	c.o.Log.Debug("API request", "method", q.method, "path", q.path)
	resp, err := c.do(r, base)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, q.limit+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("the API at %s: %w", base, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("%w: read response of the API at %s: %w: %w", client.ErrUnreachable, base, errLost, err)
	case int64(len(b)) > q.limit:
		return nil, fmt.Errorf("response of the API at %s to %s %s exceeds %d MiB", base, q.method, q.path, q.limit>>20)
	}
	var raw client.Raw
	if err := raw.UnmarshalJSON(b); err != nil {
		if resp.StatusCode != http.StatusOK {
			return nil, failed(resp.StatusCode, nil)
		}
		return nil, fmt.Errorf("response of the API at %s to %s %s is not JSON; is this the address of an API? %w", base, q.method, q.path, err)
	}
	v, err := raw.Decode()
	if err != nil {
		return nil, fmt.Errorf("response of the API at %s: %w", base, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, failed(resp.StatusCode, v)
	}
	return v, nil
}

// request builds a request for a path below the address of the API.
func (c *Client) request(ctx context.Context, base *url.URL, method, path string, query url.Values, body []byte) (*http.Request, error) {
	u := *base
	u.Path += path
	u.RawQuery = query.Encode()
	var from io.Reader
	if body != nil {
		from = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), from)
	if err != nil {
		return nil, fmt.Errorf("build API request: %w", err)
	}
	if token := c.route.token(base, c.token); token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	if addr, ok := ctx.Value(forwardKey{}).(string); ok {
		r.Header.Set("X-Forwarded-For", addr)
	}
	return r, nil
}

// do sends a request to an address. A redirect is an error.
func (c *Client) do(r *http.Request, base *url.URL) (*http.Response, error) {
	resp, err := c.http.Do(r)
	if err != nil {
		if r.Context().Err() == nil {
			c.route.lost(base)
		}
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // its text repeats the address
		}
		if ctx := r.Context(); ctx.Err() != nil {
			return nil, fmt.Errorf("the API at %s: %w", base, ctx.Err())
		}
		if _, bad := errors.AsType[x509.UnknownAuthorityError](err); bad {
			return nil, fmt.Errorf("%w: the API at %s: %w; pass its certificate authority with --api-ca", client.ErrUnreachable, base, err)
		}
		if _, bad := errors.AsType[*tls.CertificateVerificationError](err); bad { // a retry does not help
			return nil, fmt.Errorf("%w: the API at %s: %w", client.ErrUnreachable, base, err)
		}
		lost := errLost
		if notSent(err) {
			lost = fmt.Errorf("%w: %w", errLost, errNotSent)
		}
		return nil, fmt.Errorf("%w: the API at %s: %w: %w", client.ErrUnreachable, base, lost, err)
	}
	if resp.StatusCode < 300 || resp.StatusCode > 399 {
		return resp, nil
	}
	resp.Body.Close()
	to := resp.Header.Get("Location")
	if to == "/login" || to == base.Path+"/login" { // rest_tornado redirects unknown tokens to the login
		return nil, failed(http.StatusUnauthorized, "No permission -- see authorization schemes")
	}
	return nil, fmt.Errorf("%w: %s answers %d with location %q; use the address of the API itself", ErrRedirected, r.URL.Redacted(), resp.StatusCode, to)
}
