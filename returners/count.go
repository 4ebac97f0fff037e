package returners

import (
	"context"
	"time"
)

// JobCount is what a job store has of one job.
type JobCount struct {
	Returns     int64            // rows stored
	First, Last time.Time        // when the first and the last of them came; zero: none
	Owed        map[string]int64 // rows of the outbox, by destination
}

// Counter is a job store that counts without reading what it counts.
type Counter interface {
	CountJob(ctx context.Context, jid string) (JobCount, error)
}
