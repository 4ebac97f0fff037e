package remote

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/momtree/mom/client"
)

// Client is a master that is reached through its REST API. It is safe for concurrent use.
type Client struct {
	o     Options
	route *route
	http  *http.Client
	token string
	own   bool // Close ends the token
	kind  *kind
	warn  *sync.Once // warning that the API is Salt's
}

var _ client.Master = (*Client)(nil)

// New returns a client without a login. It connects on the first request.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	bases, err := o.bases()
	if err != nil {
		return nil, err
	}
	h, err := o.client()
	if err != nil {
		return nil, err
	}
	return &Client{o: o, route: newRoute(bases), http: h, kind: &kind{}, warn: &sync.Once{}}, nil
}

// URL returns the address of the API, or its addresses separated by commas.
func (c *Client) URL() string { return c.route.String() }

// With returns a client that authenticates with a token. It shares the connections of c.
func (c *Client) With(token string) *Client {
	other := *c
	other.token, other.own = token, false
	return &other
}

// For is With for a token made for this client: Close ends it.
func (c *Client) For(token string) *Client {
	other := c.With(token)
	other.own = true
	return other
}

// endTime limits the request that ends a login.
const endTime = 5 * time.Second

// Close closes the connections, and ends the token of a client made with For.
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

// Resolve returns j unchanged: the master resolves node groups.
func (c *Client) Resolve(j client.Job) (client.Job, error) { return j, nil }

// Named implements [client.Master]. It returns nil for node groups, which it does not know.
func (c *Client) Named(j client.Job) []string {
	if j.TgtType == "nodegroup" {
		return nil
	}
	return client.NamedIn(j)
}

// Preview matches the target against the ids of the tree only: grains and pillar cached by the
// master are not available here.
func (c *Client) Preview(ctx context.Context, j client.Job) (client.Preview, error) {
	if j.TgtType == "nodegroup" {
		return client.Preview{}, &client.TargetError{Target: j.Tgt, Err: errors.New("node groups are unknown to the client; run the preview on the master's machine")}
	}
	top, err := c.Tree(ctx)
	if err != nil {
		return client.Preview{}, err
	}
	return client.PreviewOf(top, j)
}
