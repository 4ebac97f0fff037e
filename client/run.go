package client

import (
	"context"
	"errors"
)

// Outcome is the result of a job.
type Outcome struct {
	Published
	// Returns holds the returns received, by minion id.
	Returns map[string]Return
	// Account is how the job ended; nil if the wait ended first.
	Account *Account
}

// Run publishes a job and waits for its end. It holds all returns in memory; for many large
// ones use [Client.Follow]. If ctx ends before the job, or the bus is lost, the Outcome has
// the returns so far. Run returns the errors of Follow and of [Following.Next].
func (c *Client) Run(ctx context.Context, j Job) (Outcome, error) { return RunBy(ctx, c, j) }

// Follower publishes and follows jobs. A [Client] is one.
type Follower interface {
	Follow(ctx context.Context, j Job) (*Following, error)
}

// RunBy is [Client.Run] on any Follower.
func RunBy(ctx context.Context, by Follower, j Job) (o Outcome, err error) {
	f, err := by.Follow(ctx, j)
	o = Outcome{Published: f.Published, Returns: map[string]Return{}}
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for u, err := range f.Updates(ctx) {
		switch {
		case err != nil:
			return o, err
		case u.Return != nil:
			o.Returns[u.Return.ID] = *u.Return
		case u.Complete != nil:
			o.Account = u.Complete
		}
	}
	return o, nil
}
