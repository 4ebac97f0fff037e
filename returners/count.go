package returners

import (
	"context"
	"time"
)

// JobCount counts the stored rows of one job.
type JobCount struct {
	Returns     int64            // rows stored
	First, Last time.Time        // times of the first and last return; zero without returns
	Pending     map[string]int64 // outbox rows by destination
}

// Outcome is the part of a return that the engine needs.
type Outcome struct {
	ID  string
	Via string // node the return came through, "" = from the minion itself
	OK  bool   // success and a retcode of 0
}

// Counter is a job store that counts rows without reading them.
type Counter interface {
	CountJob(ctx context.Context, jid string) (JobCount, error)
}
