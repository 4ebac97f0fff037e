package returners

import (
	"context"
	"time"
)

// JobCount is what a job store has of one job.
type JobCount struct {
	Returns     int64            // rows stored
	First, Last time.Time        // when the first and the last of them came; zero: none
	Pending     map[string]int64 // rows of the outbox, by destination
}

// Outcome is what an account has to know of a return.
type Outcome struct {
	ID  string
	Via string // node the return came through, "" = from the minion itself
	OK  bool   // it tells success, and a retcode of 0
}

// Counter is a job store that counts without reading what it counts.
type Counter interface {
	CountJob(ctx context.Context, jid string) (JobCount, error)
}
