package client

import "context"

// Master is a master as commands use it: a [Client] on its own machine, or a client of its
// REST API (package remote). The methods and their errors are documented at Client.
type Master interface {
	Follower
	Publish(ctx context.Context, j Job) (Published, error)
	Run(ctx context.Context, j Job) (Outcome, error)
	Batch(ctx context.Context, j Job, o Batch) (*Batching, error)
	Subset(ctx context.Context, j Job, n int) (Job, error)
	Preview(ctx context.Context, j Job) (Preview, error)
	Meant(ctx context.Context, j Job, limit int) (Meant, error)
	Resolve(j Job) (Job, error)
	Named(j Job) []string
	Runner(ctx context.Context, fun string, args ...any) (Raw, error)
	CallRunner(ctx context.Context, call RunnerCall) (Raw, error)
	StartRunner(ctx context.Context, call RunnerCall) (Started, error)
	CallWheel(ctx context.Context, fun string, kwargs map[string]any) (WheelAnswer, error)
	// Close closes the connections, and ends a login that was made for this client.
	Close() error
}

var _ Master = (*Client)(nil)
