package events

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
)

// Parent is the parent that receives the events.
type Parent interface {
	// IsUp reports whether the parent can be sent to, Ours whether it has identified itself as a
	// mom master.
	IsUp() bool
	Ours() bool
	// Request sends a load and blocks until the answer arrives or ctx ends.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Local is the part of the local master that reports jobs again.
type Local interface {
	OpenJobs(after string, n int) []string
	LastReport(jid string) (word uint64, closed bool)
	Reports(jid string, n int) iter.Seq[bus.Event]
}

// Options configure an [Uplink]. All are required.
type Options struct {
	ID     string // of this node
	Name   string // of the parent, for logs
	Parent Parent
	Local  Local
	// Concerned reports whether the parent gets the expectation and missing minions of a job.
	Concerned func(jid string) bool
	// Acked reports whether the parent has accepted all reports of a closed job up to that number;
	// Ack records that it has.
	Acked func(jid string, word uint64) bool
	Ack   func(c jobevent.Closed)
	// Gather is how long normal events wait for more (syndic_event_forward_timeout).
	Gather  time.Duration
	Bounds  bounds.Bounds
	Pace    *link.Pace
	Numbers *sequence.Numbers // numbers requests with urgent events
	Rescues *logs.Rescues
	Log     *slog.Logger
}
