// Package trace models the progress of a job: for each node when the job was received, published,
// answered and closed, which outbox rows are pending, and which minions it waits for.
//
// The steps of child nodes are nested in their parent's, so one request to the top returns the
// whole trace. Package tracer of the master collects it.
package trace
