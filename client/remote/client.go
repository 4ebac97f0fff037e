package remote

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/momtree/mom/client"
)

// Client is a master through its API. It is safe for concurrent use.
type Client struct {
	o     Options
	base  *url.URL
	http  *http.Client
	token string
	own   bool // the token was made for this use alone
	kind  *kind
	warn  *sync.Once // that the API is one of Salt's
}

var _ client.Master = (*Client)(nil)

// New makes a client without a login. It connects with the first request.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	base, err := o.base()
	if err != nil {
		return nil, err
	}
	h, err := o.client()
	if err != nil {
		return nil, err
	}
	return &Client{o: o, base: base, http: h, kind: &kind{}, warn: &sync.Once{}}, nil
}

// URL is where the API is.
func (c *Client) URL() string { return c.base.String() }

// With gives a client that shows a token. It shares the connections of c.
func (c *Client) With(token string) *Client {
	other := *c
	other.token, other.own = token, false
	return &other
}

// For is With for a token that was made for this use alone: Close ends it.
func (c *Client) For(token string) *Client {
	other := c.With(token)
	other.own = true
	return other
}

// endTime bounds the end of a login.
const endTime = 5 * time.Second

// Close ends the connections and, if it was made for this use alone, the login.
func (c *Client) Close() error {
	var err error
	if c.own {
		ctx, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		if err = c.Logout(ctx); err != nil {
			c.o.Log.Debug("login not closed, it expires", "err", err)
		}
	}
	c.http.CloseIdleConnections()
	return nil
}

// Run implements [client.Master].
func (c *Client) Run(ctx context.Context, j client.Job) (client.Outcome, error) {
	return client.RunBy(ctx, c, j)
}

// Batch implements [client.Master].
func (c *Client) Batch(ctx context.Context, j client.Job, o client.Batch) (*client.Batching, error) {
	return client.BatchBy(ctx, c, j, o)
}

// Subset implements [client.Master].
func (c *Client) Subset(ctx context.Context, j client.Job, n int) (client.Job, error) {
	return client.SubsetBy(ctx, c, j, n)
}

// Resolve gives the job as it is: the master knows its node groups.
func (c *Client) Resolve(j client.Job) (client.Job, error) { return j, nil }

// Named implements [client.Master]; of a node group nothing is known here.
func (c *Client) Named(j client.Job) []string {
	if j.TgtType == "nodegroup" {
		return nil
	}
	return client.NamedIn(j)
}

// Preview tells whom a target means by the ids of the tree; the grains and the pillar that
// the master has stored are not known here.
func (c *Client) Preview(ctx context.Context, j client.Job) (client.Preview, error) {
	if j.TgtType == "nodegroup" {
		return client.Preview{}, &client.TargetError{Target: j.Tgt, Err: errors.New("node groups are known at the master alone: ask for this preview there")}
	}
	top, err := c.Tree(ctx)
	if err != nil {
		return client.Preview{}, err
	}
	return client.PreviewOf(top, j)
}
