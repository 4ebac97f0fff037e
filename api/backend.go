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

// ErrNoToken is the answer to a token that is unknown, revoked or past its time.
var ErrNoToken = errors.New("no such token")

// ErrNoEvents is the answer of a backend that has no event bus.
var ErrNoEvents = errors.New("the events of the master cannot be had")

// ErrNoMaster is the answer of a backend that is no master: it has jobs and their results.
var ErrNoMaster = errors.New("This API has no master (api_results): it tells of jobs and their results alone")

// Token is a login that the master remembers.
type Token struct {
	Token, Name, Eauth string
	Start, Expire      time.Time
	// Perms are the rules that hold for the user, in Salt's form; nil for none.
	Perms  []any
	Groups []string
}

// Backend is the master as the API sees it. Errors are those of package client, and
// [ErrNoToken].
type Backend interface {
	// Ping tells whether the master answers.
	Ping(ctx context.Context) error
	// MakeToken logs a user in. 0: the token lives as long as the master says.
	MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error)
	// Token looks a token up.
	Token(ctx context.Context, id string) (Token, error)
	// RevokeToken ends a token before its time.
	RevokeToken(ctx context.Context, id string) error
	// As gives a session that works under a login; the master checks it each time.
	As(l client.Login) Session
	// Events opens the event bus of the master.
	Events(ctx context.Context) (Events, error)
	// JobUsers tells who asked for jobs, as the master has recorded it: the user of each job
	// that it has. A master that cannot be asked gives [client.ErrNotTold].
	JobUsers(ctx context.Context, jids []string) (map[string]string, error)
	// Fire puts an event on it.
	Fire(ctx context.Context, tag string, data any) error
}

// Events are the events of a master from the moment on when they were asked for.
type Events interface {
	// Next waits for the next one.
	Next(ctx context.Context) (client.Event, error)
	Close() error
}

// Session is what a user may do at the master.
type Session interface {
	// Publish starts a job.
	Publish(ctx context.Context, j client.Job) (client.Published, error)
	// Meant tells whom a job would mean, and names at most limit of them.
	Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error)
	// Run starts a job and waits for its end.
	Run(ctx context.Context, j client.Job) (client.Outcome, error)
	// Batch runs a job on a few minions at a time; each return is given to took.
	Batch(ctx context.Context, j client.Job, b client.Batch, took func(client.Return)) (client.Account, error)
	// Subset picks a few of the minions that a job means.
	Subset(ctx context.Context, j client.Job, n int) (client.Job, error)
	// Runner calls a runner and waits for its result.
	Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error)
	// StartRunner calls a runner and does not wait.
	StartRunner(ctx context.Context, call client.RunnerCall) (client.Started, error)
	// Wheel calls a wheel function; a failure is in the answer.
	Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error)
	// StartWheel calls a wheel function and does not wait.
	StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error)
	// Follow listens to a job that was started before.
	Follow(ctx context.Context, jid string) (Following, error)
	// Returns gives the stored returns of a job.
	Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error]
	// Trace tells where a job is.
	Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error)
	// Tree gives the tree from the master down.
	Tree(ctx context.Context) (topology.Node, error)
}

// Following is a job that is listened to; see [client.Following].
type Following interface {
	Next(ctx context.Context) (client.Update, error)
	Close() error
}
