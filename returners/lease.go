package returners

import (
	"context"
	"time"
)

// Leaser is a store that several masters share and that grants leases among them.
type Leaser interface {
	// Lease acquires or renews the lease name for holder, for ttl by the clock of the store. held is
	// false while another holder has it. A ttl of 0 gives it up. until is the end of the lease by
	// this machine's clock: now plus what is left by the clock of the store.
	Lease(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error)
}
