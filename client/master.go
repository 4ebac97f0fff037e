package client

import "context"

// Master is a master as commands use it: a [Client] on its own machine, or one from afar
// that goes through its REST API (package remote). What each method does, and its errors,
// is told at Client.
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
	// Close ends the connections, and a login that was made for this use alone.
	Close() error
}

var _ Master = (*Client)(nil)
