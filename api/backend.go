package api

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// ErrNoToken is returned for a token that is unknown, revoked or expired.
var ErrNoToken = errors.New("no such token")

// ErrNoEvents is returned by a backend without an event bus.
var ErrNoEvents = errors.New("events are not available")

// ErrNoMaster is returned by a backend that has jobs and their results, but no master.
var ErrNoMaster = errors.New("This API has no master (api_results): it serves only jobs and their results")

// Token is a login that the master remembers.
type Token struct {
	Token, Name, Eauth string
	Start, Expire      time.Time
	// Perms are the rules of the user, in Salt's form; nil for none.
	Perms  []any
	Groups []string
}

// Backend is the master as the API sees it. Errors are those of package client, [ErrNoToken] and
// those of [Refuse]. It must be safe for concurrent use. A handler asks for the part of it that
// it needs.
type Backend interface {
	// Ping returns nil if the master answers.
	Ping(ctx context.Context) error
	// MakeToken logs a user in. With expire 0 the master chooses the life of the token.
	MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error)
	// Token looks up a token.
	Token(ctx context.Context, id string) (Token, error)
	// RevokeToken ends a token before its time.
	RevokeToken(ctx context.Context, id string) error
	// As returns a session that works under a login. The master checks the login at each call.
	As(l client.Login) Session
	// Events opens the event bus of the master.
	Events(ctx context.Context) (Events, error)
	// JobUsers returns the recorded user of each job that the master has. It returns
	// [client.ErrNotReported] if the master has no such command.
	JobUsers(ctx context.Context, jids []string) (map[string]string, error)
	// Fire puts an event on the bus.
	Fire(ctx context.Context, tag string, data any) error
}

// Events are the events of a master since they were opened.
type Events interface {
	// Next waits for the next event.
	Next(ctx context.Context) (client.Event, error)
	Close() error
}

// Session is what a user may do at the master.
type Session interface {
	// Publish starts a job.
	Publish(ctx context.Context, j client.Job) (client.Published, error)
	// Meant returns which minions a job would target. It names at most limit of them.
	Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error)
	// Run starts a job and waits for its end.
	Run(ctx context.Context, j client.Job) (client.Outcome, error)
	// Batch runs a job on a few minions at a time and calls took with each return.
	Batch(ctx context.Context, j client.Job, b client.Batch, took func(client.Return)) (client.Account, error)
	// Subset returns a job for n of the minions that j targets.
	Subset(ctx context.Context, j client.Job, n int) (client.Job, error)
	// Runner calls a runner and waits for its result.
	Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error)
	// StartRunner calls a runner and does not wait.
	StartRunner(ctx context.Context, call client.RunnerCall) (client.Started, error)
	// Wheel calls a wheel function. The answer says whether the function failed.
	Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error)
	// StartWheel calls a wheel function and does not wait.
	StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error)
	// Follow subscribes to a job that was started before.
	Follow(ctx context.Context, jid string) (Following, error)
	// Returns yields the stored returns of a job.
	Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error]
	// Trace returns where a job is. It waits that long for nodes below.
	Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error)
	// Tree returns the tree from the master down.
	Tree(ctx context.Context) (topology.Node, error)
}

// Following is a subscription to a job; see [client.Following].
type Following interface {
	Next(ctx context.Context) (client.Update, error)
	Close() error
}

type strangerKey struct{}

// asStranger marks a context whose calls the master serves for a stranger.
func asStranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, true)
}

// IsStranger reports whether a context belongs to a request whose token was not known to be valid.
// A [Backend] keeps such calls from delaying those of users.
func IsStranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }
