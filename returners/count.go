package returners

import (
	"context"
	"time"
)

// JobCount is what a job store has of one job.
type JobCount struct {
	Returns     int64            // rows stored
	First, Last time.Time        // times of the first and last; zero: none
	Pending     map[string]int64 // outbox rows by destination
}

// Outcome is what the engine needs to know of a return.
type Outcome struct {
	ID  string
	Via string // node the return came through, "" = from the minion itself
	OK  bool   // success and a retcode of 0
}

// Counter is a job store that counts without reading what it counts.
type Counter interface {
	CountJob(ctx context.Context, jid string) (JobCount, error)
}
